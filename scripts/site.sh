#!/usr/bin/env bash
# Makes the documentation's site in build/site, of the pages in docs/ and the references of the
# Python package and of the public headers:
#   scripts/site.sh
# Needs doxygen (Debian: doxygen, which nothing else here needs) and what the groups `build` and
# `site` of pyproject.toml name, which it installs into build/site-venv. The package is the one in
# DPCOV_TREE, else the one that the stage `python` of scripts/test.sh laid out, else it is built.
# The tutorial reads a table in the folder DPCOV_DATA; without it the page has no outputs. Warnings
# are errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v doxygen >/dev/null || {
    echo "site.sh: doxygen is missing; on Debian: apt-get install --no-install-recommends doxygen" >&2
    exit 1
}
site=$PWD/build/site source=$PWD/build/site-source venv=${DPCOV_SITE_VENV:-$PWD/build/site-venv}
wanted=$(sha256sum <pyproject.toml)
if [ -z "${DPCOV_SITE_VENV:-}" ] && [ "$(cat "$venv/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet 'pip>=25.1,<27'
    "$venv/bin/pip" install --quiet --group site
    echo "$wanted" >"$venv/wanted"
fi

tree=${DPCOV_TREE:-$PWD/build/release/python-tree}
if [ ! -d "$tree/dpcov" ]; then
    tree=$PWD/build/site-tree
    "$venv/bin/pip" install --quiet --upgrade --no-deps --target "$tree" .
fi
# A tree that was built earlier has the binary part; docstrings are those of today.
if [ -z "${DPCOV_TREE:-}" ]; then
    cp -r python/dpcov/. "$tree/dpcov/"
fi

# Each page stays where it is in the project, so that one link serves GitHub and the site.
rm -rf "$source" "$site" build/site-doxygen build/site-doctrees
mkdir -p "$source" build/site-doxygen
for entry in LICENSE apps audit benchmarks cmake include pyproject.toml python research schemas scripts src tests \
    .clang-format .clang-tidy CMakeLists.txt CMakePresets.json; do
    ln -s "$PWD/$entry" "$source/$entry"
done
cp README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md "$source/"
cp -r examples "$source/examples"
cp -r docs "$source/docs"
# The front page is the site's first, two folders further up.
sed -e 's#](\.\./\.\./#](#g' -e 's#](\.\./#](docs/#g' docs/site/index.md >"$source/index.md"
# Notebooks are plain Markdown: their blocks of Python become cells.
for notebook in tutorial scikit-learn; do
    "$venv/bin/jupytext" --quiet --set-kernel python3 --to ipynb --output "$source/docs/$notebook.ipynb" "docs/$notebook.md"
    "$venv/bin/jupytext" --quiet --set-kernel python3 --to md:myst --output "$source/docs/$notebook.md" "docs/$notebook.md"
done

for folder in reference/cpp:cpp-* decisions/README:0*; do
    printf '\n```{toctree}\n:hidden:\n:glob:\n\n%s\n```\n' "${folder#*:}" >>"$source/docs/${folder%:*}.md"
done
{
    cat docs/site/Doxyfile
    echo "INPUT = include/dpcov"
    echo "OUTPUT_DIRECTORY = build/site-doxygen"
} | doxygen -
/usr/bin/python3 scripts/site_headers.py build/site-doxygen/xml "$source/docs/reference"

if [ -z "${DPCOV_DATA:-}" ]; then
    echo "site.sh: DPCOV_DATA is not set: the tutorial is shown without what its blocks print" >&2
fi
PYTHONPATH=$tree DPCOV_TREE=$tree DPCOV_DOXYGEN_XML=$PWD/build/site-doxygen/xml \
    "$venv/bin/python" -m sphinx -W --keep-going -n -q -j auto -c docs/site -d build/site-doctrees "$source" "$site"
echo "build/site: $(find "$site" -name '*.html' | wc -l) pages"
