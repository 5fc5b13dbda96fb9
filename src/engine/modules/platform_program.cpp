// Program that reads a platform with SimGrid, for read_platform(): a process has one engine of
// SimGrid, which loads one platform, and errors in platforms end the process.
//
//   dcube-platform FILE
//
// Writes parts of core/child_message.hpp: 1 and what is wrong; or 0, the hosts, the links and, for
// each host, the lengths and links of the routes from it.

// simgrid/version.h needs earlier includes of s4u.hpp.
// clang-format off
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
// clang-format on

#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/argument_pointers.hpp"
#include "core/child_message.hpp"

namespace {

namespace sg4 = simgrid::s4u;

sigjmp_buf after_abort;

[[noreturn]] void leave_abort(int /*signal*/) { siglongjmp(after_abort, 1); }

struct Problem {
  std::string text;
};

void start_timer() {
  itimerval limit{};
  limit.it_value.tv_sec = 20;
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

void write_out(const std::string& message) {
  std::size_t done = 0;
  while (done < message.size()) {
    const ssize_t written = write(STDOUT_FILENO, message.data() + done, message.size() - done);
    if (written <= 0) {
      _exit(1);
    }
    done += static_cast<std::size_t>(written);
  }
  start_timer();
}

/// Standard error of SimGrid, which says there why it aborts.
class Complaints {
 public:
  Complaints() : file_{memfd_create("complaints", 0)} { dup2(file_, STDERR_FILENO); }
  /// The first line.
  std::string first() const {
    std::array<char, 2048> text{};
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    const std::string all(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return all.substr(0, all.find('\n'));
  }

 private:
  int file_;
};

std::vector<std::string> setting_words() {
  return {"dcube",
          "--log=root.thresh:critical",
          "--log=root.fmt:%m%n",
          "--cfg=network/model:CM02",
          "--cfg=network/TCP-gamma:0",
          "--cfg=network/crosstraffic:0"};
}

class Reader {
 public:
  explicit Reader(const sg4::Engine& engine) : hosts_{engine.get_all_hosts()} {
    constexpr std::size_t most_hosts = 4096;
    if (hosts_.size() > most_hosts) {
      throw Problem{std::to_string(hosts_.size()) +
                    " hosts, and dcube keeps the routes of at most " + std::to_string(most_hosts) +
                    "; dcube's own kinds of networks, such as fat_tree and dragonfly, need no such "
                    "table"};
    }
    // SimGrid has n10 before n2.
    std::ranges::sort(hosts_, [](const sg4::Host* left, const sg4::Host* right) {
      return strverscmp(left->get_cname(), right->get_cname()) < 0;
    });
  }

  void tell() {
    std::vector<std::vector<std::uint32_t>> local;
    for (sg4::Host* host : hosts_) {
      local.push_back(local_route(host));
    }
    // Routes first, as they say which links there are; they wait in memory for their turn.
    std::string routes;
    for (sg4::Host* from : hosts_) {
      std::vector<std::uint32_t> lengths;
      std::vector<std::uint32_t> links;
      for (sg4::Host* to : hosts_) {
        const std::size_t before = links.size();
        if (from != to) {
          add_route(from, to, links);
        }
        lengths.push_back(static_cast<std::uint32_t>(links.size() - before));
      }
      dcube::append_sent(routes, lengths);
      dcube::append_sent(routes, links);
      start_timer();
    }
    std::string message = dcube::sent(std::uint32_t{0}, std::uint64_t{hosts_.size()});
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      dcube::append_sent(message, hosts_[i]->get_name());
      dcube::append_sent(message, hosts_[i]->get_speed());
      dcube::append_sent(message, local[i]);
    }
    dcube::append_sent(message, std::uint64_t{links_.size()});
    for (const sg4::Link* link : links_) {
      const bool never_queues = link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE;
      dcube::append_sent(message, link->get_name());
      dcube::append_sent(message, link->get_latency());
      dcube::append_sent(message, link->get_bandwidth());
      dcube::append_sent(message, never_queues);
    }
    write_out(message);
    write_out(routes);
  }

 private:
  void add_route(sg4::Host* from, sg4::Host* to, std::vector<std::uint32_t>& links) {
    route_.clear();
    double latency = 0;
    from->route_to(to, route_, &latency);
    double of_links = 0;
    for (const sg4::Link* link : route_) {
      links.push_back(number_of(link));
      of_links += link->get_latency();
    }
    constexpr double rounding = 1e-12;
    if (!route_.empty() && std::abs(latency - of_links) > rounding + rounding * latency) {
      throw Problem{"the latency from " + from->get_name() + " to " + to->get_name() +
                    " is not that of the links between them, as coordinates add to it"};
    }
  }

  /// Of a message to itself; nothing where SimGrid knows none.
  std::vector<std::uint32_t> local_route(sg4::Host* host) {
    std::vector<std::uint32_t> links;
    try {
      add_route(host, host, links);
    } catch (const std::exception&) {
      links.clear();
    }
    return links;
  }

  std::uint32_t number_of(const sg4::Link* link) {
    const auto [place, is_new] =
        numbers_.try_emplace(link, static_cast<std::uint32_t>(links_.size()));
    if (is_new) {
      if (link->get_sharing_policy() == sg4::Link::SharingPolicy::WIFI) {
        throw Problem{"the link " + link->get_name() +
                      " is a radio cell (WIFI), which dcube has none of"};
      }
      links_.push_back(link);
    }
    return place->second;
  }

  std::vector<sg4::Host*> hosts_;
  std::vector<const sg4::Link*> links_;
  std::unordered_map<const sg4::Link*, std::uint32_t> numbers_;
  std::vector<sg4::Link*> route_;
};

/// Writes what the platform holds and ends the program, or returns what is wrong with it. No part
/// of main(), whose variables a jump back could spoil.
[[gnu::noinline]] std::string problem_of(const char* file) {
  try {
    std::vector<std::string> words = setting_words();
    std::vector<char*> pointers = dcube::argument_pointers(words);
    int words_left = static_cast<int>(words.size());
    sg4::Engine engine{&words_left, pointers.data()};
    engine.load_platform(file);
    engine.seal_platform();
    Reader{engine}.tell();
    _exit(0);  // without SimGrid's end of a simulation
  } catch (const Problem& found) {
    return found.text;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    return 2;
  }
  const Complaints complaints;
  std::signal(SIGABRT, leave_abort);
  start_timer();
  std::string problem;
  if (sigsetjmp(after_abort, 1) == 0) {
    problem = problem_of(arguments[1]);
  } else {
    problem = complaints.first();
  }
  write_out(dcube::sent(std::uint32_t{1}, problem.substr(0, problem.find('\n'))));
  _exit(0);
}
