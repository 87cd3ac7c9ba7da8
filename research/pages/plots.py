"""How the pages' plots look, and files of them that do not differ where nothing does."""


def pyplot():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "svg.hashsalt": "dpcov",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    return plt


def finish(figure, axes, path):
    """Write a figure with the legend of `axes` below it."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    path.write_text("\n".join(map(str.rstrip, path.read_text().splitlines())) + "\n")
    pyplot().close(figure)
