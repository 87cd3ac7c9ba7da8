#include "privacy_arguments.hpp"

#include <string>

#include "command_line/arguments.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"

namespace dpcov {

double parse_delta(const std::string& text) {
    const bool zero = text.find_first_of("123456789") == std::string::npos &&
                      text.find('0') != std::string::npos &&
                      text.find_first_not_of("0.eE+-") == std::string::npos;
    if (zero) {
        throw UsageError("--delta " + text + " is pure DP: leave out --delta for that");
    }
    return parse_positive_number("--delta", text);
}

void add_rows_per_person(CLI::App& command, std::uint32_t& rows, const std::string& what) {
    command
        .add_option("--rows-per-person", rows,
                    what + " 1 (default) to " + std::to_string(limits::rows_per_person))
        ->type_name("K")
        ->check(whole_number(1, limits::rows_per_person));
}

void add_privacy_options(CLI::App& command, PrivacyArguments& arguments) {
    const OptionsUnder title(command,
                             "Privacy (exactly one of --rho, --epsilon, --epsilon with --delta)");
    add_positive_number(command, "--rho", arguments.rho,
                        "rho-zCDP: the smaller, the more private and the noisier; 0.1 is a "
                        "common choice, 1 is weak")
        ->type_name("R");
    add_positive_number(command, "--epsilon", arguments.epsilon,
                        "Pure epsilon-DP; with --delta, (epsilon, delta)-DP met through the "
                        "largest rho that implies it")
        ->type_name("E");
    command
        .add_option_function<std::string>(
            "--delta",
            [&arguments](const std::string& text) { arguments.delta = parse_delta(text); },
            "See --epsilon; far below 1/n. Leave it out for pure DP")
        ->type_name("D");
    add_choice(command, "--neighbours", arguments.neighbours, neighbours_words,
               "Which tables must look alike: one row replaced (default; the number "
               "of rows is public), or one row more or less (it is private)");
}

Definition asked_definition(const PrivacyArguments& arguments) {
    constexpr const char* choices =
        "; give exactly one of --rho R (zCDP), --epsilon E (pure DP), --epsilon E --delta D "
        "(approximate DP)";
    if (arguments.rho && (arguments.epsilon || arguments.delta)) {
        throw UsageError(std::string("more than one privacy definition") + choices);
    }
    if (arguments.rho) {
        return Rho(*arguments.rho);
    }
    if (!arguments.epsilon) {
        throw UsageError(
            (arguments.delta ? std::string("--delta goes with --epsilon") : "no privacy budget") +
            choices);
    }
    if (arguments.delta) {
        return ApproximateDp{Epsilon(*arguments.epsilon), Delta(*arguments.delta)};
    }
    return Epsilon(*arguments.epsilon);
}

}  // namespace dpcov
