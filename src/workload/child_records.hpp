#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace dcube {

/// Runs `produce` in a child process and gives what it writes to `consume`, piece by piece, until
/// `consume` throws or the child ends. A crash of the child is no crash of this process.
///
/// Returns how the child ended: "" when it came to its end, else the reason ("it was killed by
/// signal 11 (Segmentation fault)"). Throws InputError without a place when there can be no child.
/// A child that writes nothing while it computes for a minute is killed, and it gets 4 GiB of
/// memory at most.
std::string consume_from_child(
    const std::function<void(const std::function<void(std::string_view)>& write)>& produce,
    const std::function<void(std::string_view)>& consume);

}  // namespace dcube
