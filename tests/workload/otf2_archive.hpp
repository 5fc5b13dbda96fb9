#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dcube::testing {

/// Writes an archive with libotf2, as Score-P does: first the events, then the definitions. The
/// clock has 1000 ticks a second. Rank r is location 10 + r.
class Archive {
 public:
  static constexpr std::uint32_t world = 0;
  static constexpr std::uint32_t self = 1;  ///< MPI_COMM_SELF
  static constexpr std::uint32_t first_own = 2;
  static constexpr std::uint32_t user_region = 0;
  static constexpr std::uint32_t mpi_region = 1;
  /// Calling contexts of the same regions.
  static constexpr std::uint32_t mpi_context = 1;

  struct Options {
    std::string creator = "Score-P 8.0";
    std::uint64_t resolution = 1000;
    std::uint32_t threads = 0;  ///< locations besides the ranks
    bool has_mpi_group = true;
    bool swaps_regions = false;  ///< in events: a table of each rank maps them to the archive's
    std::uint64_t chunk_bytes = 1 << 20;  ///< at least 2^18
  };

  /// The anchor file is `folder`/a.otf2.
  Archive(const std::filesystem::path& folder, std::uint32_t ranks) : Archive{folder, ranks, {}} {}
  Archive(const std::filesystem::path& folder, std::uint32_t ranks, Options options,
          const std::string& name = "a")
      : options_{std::move(options)}, ranks_{ranks}, events_(ranks, 0) {
    archive_ =
        OTF2_Archive_Open(folder.c_str(), name.c_str(), OTF2_FILEMODE_WRITE, options_.chunk_bytes,
                          options_.chunk_bytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static const OTF2_FlushCallbacks flush{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType {
          return OTF2_FLUSH;
        },
        [](void*, OTF2_FileType, OTF2_LocationRef) { return OTF2_TimeStamp{0}; }};
    OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_SetCreator(archive_, options_.creator.c_str());
    OTF2_Archive_OpenEvtFiles(archive_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() { close(); }

  static OTF2_LocationRef location(std::uint32_t rank) { return 10 + rank; }

  /// Of these ranks, in this order.
  std::uint32_t communicator(std::vector<std::uint64_t> members, bool has_global_ranks = false) {
    communicators_.emplace_back(std::move(members), has_global_ranks);
    return first_own + static_cast<std::uint32_t>(communicators_.size()) - 1;
  }

  /// The events of one rank. Times are ticks.
  class Rank {
   public:
    Rank(Archive& archive, std::uint32_t rank)
        : archive_{archive},
          rank_{rank},
          writer_{OTF2_Archive_GetEvtWriter(archive.archive_, location(rank))} {}

    using Time = std::uint64_t;
    Rank& enter(Time time, std::uint32_t region) {
      return said(OTF2_EvtWriter_Enter(writer_, nullptr, time, region));
    }
    Rank& leave(Time time, std::uint32_t region) {
      return said(OTF2_EvtWriter_Leave(writer_, nullptr, time, region));
    }
    Rank& send(Time time, std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0,
               std::uint32_t communicator = world) {
      return said(OTF2_EvtWriter_MpiSend(writer_, nullptr, time, to, communicator, tag, bytes));
    }
    Rank& receive(Time time, std::uint32_t from, std::uint64_t bytes, std::uint32_t tag = 0,
                  std::uint32_t communicator = world) {
      return said(OTF2_EvtWriter_MpiRecv(writer_, nullptr, time, from, communicator, tag, bytes));
    }
    Rank& isend(Time time, std::uint32_t to, std::uint64_t bytes, std::uint64_t request,
                std::uint32_t tag = 0) {
      return said(OTF2_EvtWriter_MpiIsend(writer_, nullptr, time, to, world, tag, bytes, request));
    }
    Rank& isend_complete(Time time, std::uint64_t request) {
      return said(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time, request));
    }
    Rank& irecv_request(Time time, std::uint64_t request) {
      return said(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time, request));
    }
    Rank& irecv(Time time, std::uint32_t from, std::uint64_t bytes, std::uint64_t request,
                std::uint32_t tag = 0) {
      return said(
          OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time, from, world, tag, bytes, request));
    }
    Rank& test(Time time, std::uint64_t request) {
      return said(OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, time, request));
    }
    Rank& cancel(Time time, std::uint64_t request) {
      return said(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, time, request));
    }
    Rank& collective(Time begin, Time end, OTF2_CollectiveOp operation, std::uint64_t sent,
                     std::uint64_t received, std::uint32_t root = OTF2_UNDEFINED_UINT32,
                     std::uint32_t communicator = world) {
      said(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, begin));
      return said(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, end, operation, communicator,
                                                  root, sent, received));
    }
    Rank& start_collective(Time time, std::uint64_t request) {
      return said(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time, request));
    }
    Rank& complete_collective(Time time, std::uint64_t request, OTF2_CollectiveOp operation,
                              std::uint64_t sent, std::uint64_t received,
                              std::uint32_t root = OTF2_UNDEFINED_UINT32,
                              std::uint32_t communicator = world) {
      return said(OTF2_EvtWriter_NonBlockingCollectiveComplete(
          writer_, nullptr, time, operation, communicator, root, sent, received, request));
    }
    /// Any other event, by a function of the library.
    template <class... Arguments>
    Rank& other(OTF2_ErrorCode (*write)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp,
                                        Arguments...),
                Time time, std::type_identity_t<Arguments>... arguments) {
      return said(write(writer_, nullptr, time, arguments...));
    }

   private:
    Rank& said(OTF2_ErrorCode code) {
      if (code == OTF2_SUCCESS) {
        ++archive_.events_[rank_];
      }
      return *this;
    }

    Archive& archive_;
    std::uint32_t rank_;
    OTF2_EvtWriter* writer_;
  };
  Rank& rank(std::uint32_t number) {
    while (writers_.size() <= number) {
      writers_.emplace_back(*this, static_cast<std::uint32_t>(writers_.size()));
    }
    return writers_[number];
  }

  void close() {
    if (archive_ == nullptr) {
      return;
    }
    rank(ranks_ - 1);
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, location(i));
      if (options_.swaps_regions) {
        static constexpr std::uint64_t regions[] = {mpi_region, user_region};
        OTF2_IdMap* const map = OTF2_IdMap_CreateFromUint64Array(2, regions, false);
        OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map);
        OTF2_IdMap_Free(map);
      }
      OTF2_Archive_CloseDefWriter(archive_, writer);
    }
    OTF2_Archive_CloseDefFiles(archive_);
    define();
    OTF2_Archive_Close(archive_);
    archive_ = nullptr;
  }

 private:
  void define() {
    OTF2_GlobalDefWriter* const to = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(to, options_.resolution, 0, 1 << 20,
                                              OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(to, 0, "");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (const std::uint32_t region : {user_region, mpi_region}) {
      OTF2_GlobalDefWriter_WriteRegion(
          to, region, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION,
          region == mpi_region ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0,
          0, 0);
      OTF2_GlobalDefWriter_WriteCallingContext(
          to, region, region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, OTF2_UNDEFINED_CALLING_CONTEXT);
    }
    std::vector<std::uint64_t> locations;
    std::vector<std::uint64_t> ranks;
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      OTF2_GlobalDefWriter_WriteLocationGroup(to, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
      OTF2_GlobalDefWriter_WriteLocation(to, location(i), 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                         events_[i], i);
      locations.push_back(location(i));
      ranks.push_back(i);
    }
    for (std::uint32_t i = 0; i < options_.threads; ++i) {
      OTF2_GlobalDefWriter_WriteLocation(to, location(ranks_ + i), 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                         0, 0);
    }
    if (options_.has_mpi_group) {
      write_group(to, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, locations);
    }
    write_group(to, 1, OTF2_GROUP_TYPE_COMM_GROUP, ranks);
    write_group(to, 2, OTF2_GROUP_TYPE_COMM_SELF, {});
    OTF2_GlobalDefWriter_WriteComm(to, world, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(to, self, 0, 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    for (std::uint32_t i = 0; i < communicators_.size(); ++i) {
      const auto& [members, has_global_ranks] = communicators_[i];
      write_group(to, 3 + i, OTF2_GROUP_TYPE_COMM_GROUP, members,
                  has_global_ranks ? OTF2_GROUP_FLAG_GLOBAL_MEMBERS : OTF2_GROUP_FLAG_NONE);
      OTF2_GlobalDefWriter_WriteComm(to, first_own + i, 0, 3 + i, world, OTF2_COMM_FLAG_NONE);
    }
  }
  static void write_group(OTF2_GlobalDefWriter* to, OTF2_GroupRef group, OTF2_GroupType type,
                          const std::vector<std::uint64_t>& members,
                          OTF2_GroupFlag flags = OTF2_GROUP_FLAG_NONE) {
    OTF2_GlobalDefWriter_WriteGroup(to, group, 0, type, OTF2_PARADIGM_MPI, flags,
                                    static_cast<std::uint32_t>(members.size()), members.data());
  }

  Options options_;
  std::uint32_t ranks_;
  std::vector<std::uint64_t> events_;
  std::deque<Rank> writers_;
  std::vector<std::pair<std::vector<std::uint64_t>, bool>> communicators_;
  OTF2_Archive* archive_ = nullptr;
};

}  // namespace dcube::testing
