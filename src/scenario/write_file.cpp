#include "dcube/scenario/write_file.hpp"

#include "dcube/core/whole_file.hpp"

namespace dcube {

void write_file(const std::filesystem::path& file, std::string_view content) {
  WholeFile whole{file};
  whole.write(content);
  whole.commit();
}

}  // namespace dcube
