#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Runs `produce` in a child process and passes its output to `consume`, piece by piece, until
/// `consume` throws or the child ends. A crash of the child does not affect this process.
///
/// Returns "" if the child succeeded, else how it ended ("it was ended by signal 11 (Segmentation
/// fault)"). Throws InputError without a place when there can be no child. A child that computes
/// for a minute without output is killed; it gets at most 4 GiB of memory.
std::string consume_from_child(
    const std::function<void(const std::function<void(std::string_view)>& write)>& produce,
    const std::function<void(std::string_view)>& consume);

/// Likewise with a program in place of `produce`, whose standard output is consumed. It must set
/// its own limit of time again as it goes on (ITIMER_VIRTUAL).
std::string consume_from_program(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments,
                                 const std::function<void(std::string_view)>& consume);

}  // namespace dcube
