// Module that reads OTF2 archives with libotf2. The program loads it on demand.

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "otf2_records.hpp"

namespace {

/// First complaint of libotf2, which would print it otherwise.
std::string complaint;

OTF2_ErrorCode keep_complaint(void* /*data*/, const char* /*file*/, uint64_t /*line*/,
                              const char* /*function*/, OTF2_ErrorCode code, const char* format,
                              va_list arguments) {
  if (complaint.empty() && code != OTF2_SUCCESS) {
    char text[256] = "";
    if (format != nullptr) {
      std::vsnprintf(text, sizeof text, format, arguments);
    }
    const char* const description = OTF2_Error_GetDescription(code);
    complaint = description == nullptr ? "" : description;
    if (text[0] != '\0') {
      complaint += complaint.empty() ? "" : ": ";
      complaint += text;
    }
  }
  return code;
}

struct Problem {
  std::string text;
};

class Archive {
 public:
  explicit Archive(const Otf2Sink& sink) : sink_{sink} {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (reader_ != nullptr) {
      OTF2_Reader_Close(reader_);
    }
  }

  void read(const char* anchor_file) {
    reader_ = OTF2_Reader_Open(anchor_file);
    if (reader_ == nullptr) {
      throw Problem{"is not the anchor file of an OTF2 archive"};
    }
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_), "cannot be read");
    char* creator = nullptr;
    if (OTF2_Reader_GetCreator(reader_, &creator) == OTF2_SUCCESS && creator != nullptr) {
      tell(otf2_creator, {}, creator);
      std::free(creator);
    }
    read_definitions();
    for (const Rank& rank : ranks_) {
      check(OTF2_Reader_SelectLocation(reader_, rank.location), "has no events of a rank");
    }
    read_local_definitions();
    read_events();
    tell(otf2_done, {});
  }

  void tell(Otf2RecordKind kind, std::initializer_list<uint64_t> values,
            std::string_view payload = {}) const {
    Otf2Record record{kind, static_cast<uint32_t>(payload.size()), {}};
    std::size_t i = 0;
    for (const uint64_t value : values) {
      record.values[i++] = value;
    }
    sink_.record(sink_.context, &record, payload.data());
  }

 private:
  struct Rank {
    OTF2_LocationRef location;
    uint64_t events;
  };

  static void check(OTF2_ErrorCode code, const char* what) {
    if (code != OTF2_SUCCESS) {
      throw Problem{what};
    }
  }

  // --- Definitions

  void read_definitions() {
    OTF2_GlobalDefReader* const reader = OTF2_Reader_GetGlobalDefReader(reader_);
    if (reader == nullptr) {
      throw Problem{"has no file of global definitions"};
    }
    OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, &on_clock);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, &on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, &on_region);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, &on_calling_context);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, &on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, &on_communicator);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, &on_inter_communicator);
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader_, reader, callbacks, this),
          "cannot be read");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    uint64_t read = 0;
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader_, reader, &read),
          "has damaged global definitions");
    OTF2_Reader_CloseGlobalDefReader(reader_, reader);
    for (Rank& rank : ranks_) {
      for (const Rank& location : locations_) {
        if (location.location == rank.location) {
          rank.events = location.events;
        }
      }
    }
  }

  static Archive& self(void* data) { return *static_cast<Archive*>(data); }

  static OTF2_CallbackCode on_clock(void* data, uint64_t resolution, uint64_t, uint64_t, uint64_t) {
    self(data).tell(otf2_resolution, {resolution});
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_location(void* data, OTF2_LocationRef location, OTF2_StringRef,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef) {
    self(data).locations_.push_back({location, events});
    self(data).tell(otf2_location,
                    {location, type == OTF2_LOCATION_TYPE_CPU_THREAD ? 1U : 0U, events});
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_region(void* data, OTF2_RegionRef region, OTF2_StringRef,
                                     OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole,
                                     OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef,
                                     uint32_t, uint32_t) {
    self(data).tell(otf2_region, {region, paradigm == OTF2_PARADIGM_MPI ? 1U : 0U});
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_calling_context(void* data, OTF2_CallingContextRef context,
                                              OTF2_RegionRef region, OTF2_SourceCodeLocationRef,
                                              OTF2_CallingContextRef) {
    self(data).tell(otf2_calling_context, {context, region});
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_group(void* data, OTF2_GroupRef group, OTF2_StringRef,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm,
                                    OTF2_GroupFlag flags, uint32_t count, const uint64_t* members) {
    Archive& archive = self(data);
    const bool is_mpi = paradigm == OTF2_PARADIGM_MPI;
    if (is_mpi && type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
      for (uint32_t i = 0; i < count; ++i) {
        archive.ranks_.push_back({members[i], 0});
      }
    }
    archive.tell(
        otf2_group,
        {group, type, is_mpi ? 1U : 0U, (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0 ? 1U : 0U},
        {reinterpret_cast<const char*>(members), count * sizeof *members});
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_communicator(void* data, OTF2_CommRef communicator, OTF2_StringRef,
                                           OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
    self(data).tell(otf2_communicator, {communicator, group});
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_inter_communicator(void* data, OTF2_CommRef communicator,
                                                 OTF2_StringRef, OTF2_GroupRef, OTF2_GroupRef,
                                                 OTF2_CommRef, OTF2_CommFlag) {
    self(data).tell(otf2_inter_communicator, {communicator});
    return OTF2_CALLBACK_SUCCESS;
  }

  /// Local definitions map numbers of a rank to those of the archive. An archive may have none.
  void read_local_definitions() {
    const bool have_files = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    complaint.clear();
    check(OTF2_Reader_OpenEvtFiles(reader_), "has no files of events");
    for (const Rank& rank : ranks_) {
      if (have_files) {
        if (OTF2_DefReader* const reader = OTF2_Reader_GetDefReader(reader_, rank.location)) {
          uint64_t read = 0;
          check(OTF2_Reader_ReadAllLocalDefinitions(reader_, reader, &read),
                "has damaged definitions of a rank");
          OTF2_Reader_CloseDefReader(reader_, reader);
        }
        complaint.clear();
      }
    }
    if (have_files) {
      OTF2_Reader_CloseDefFiles(reader_);
    }
  }

  // --- Events

  void read_events() {
    OTF2_EvtReaderCallbacks* const callbacks = event_callbacks();
    for (const Rank& rank : ranks_) {
      tell(otf2_rank, {rank.location});
      if (rank.events == 0) {
        continue;  // there may be no file
      }
      OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(reader_, rank.location);
      if (reader == nullptr) {
        throw Problem{"has no events of location " + std::to_string(rank.location)};
      }
      check(OTF2_Reader_RegisterEvtCallbacks(reader_, reader, callbacks, this), "cannot be read");
      told_events_ = 0;
      uint64_t read = 0;
      const bool is_sound = OTF2_Reader_ReadAllLocalEvents(reader_, reader, &read) == OTF2_SUCCESS;
      if (!is_sound || read != rank.events) {
        throw Problem{"has " + std::to_string(read) + " readable events of location " +
                      std::to_string(rank.location) + ", not " + std::to_string(rank.events)};
      }
      if (told_events_ != read) {  // a newer library knows more kinds
        throw Problem{"has " + std::to_string(read - told_events_) + " events of location " +
                      std::to_string(rank.location) + " that are not known"};
      }
      OTF2_Reader_CloseEvtReader(reader_, reader);
    }
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseEvtFiles(reader_);
  }

  static OTF2_CallbackCode tell_event(void* data, Otf2RecordKind kind,
                                      std::initializer_list<uint64_t> values,
                                      std::string_view payload = {}) {
    ++self(data).told_events_;
    self(data).tell(kind, values, payload);
    return OTF2_CALLBACK_SUCCESS;
  }

  /// A callback that reports time, number and the other arguments of the event.
  template <Otf2RecordKind kind, class... Arguments>
  static OTF2_CallbackCode on_event(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t number,
                                    void* data, OTF2_AttributeList*, Arguments... arguments) {
    return tell_event(data, kind, {time, number, static_cast<uint64_t>(arguments)...});
  }
  template <class... Arguments>
  using EventCallback = OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void*,
                                              OTF2_AttributeList*, Arguments...);
  template <class... Arguments>
  using Setter = OTF2_ErrorCode (*)(OTF2_EvtReaderCallbacks*, EventCallback<Arguments...>);

  template <Otf2RecordKind kind, class... Arguments>
  static void hear(OTF2_EvtReaderCallbacks* callbacks, Setter<Arguments...> set) {
    set(callbacks, &on_event<kind, Arguments...>);
  }

  /// Events reported by name only.
  enum class Other : std::size_t {
#define OTHER(name, text, moves) name,
#include "otf2_other_events.inc"
#undef OTHER
  };
  struct OtherEvent {
    std::string_view name;
    bool moves_data;
  };
  static constexpr OtherEvent other_events[] = {
#define OTHER(name, text, moves) {text, moves},
#include "otf2_other_events.inc"
#undef OTHER
  };
  template <Other other, class... Arguments>
  static OTF2_CallbackCode on_other(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t number,
                                    void* data, OTF2_AttributeList*, Arguments...) {
    constexpr OtherEvent event = other_events[static_cast<std::size_t>(other)];
    return tell_event(data, otf2_other, {time, number, event.moves_data ? 1U : 0U}, event.name);
  }
  template <Other other, class... Arguments>
  static void hear_name(OTF2_EvtReaderCallbacks* callbacks, Setter<Arguments...> set) {
    set(callbacks, &on_other<other, Arguments...>);
  }

  static OTF2_CallbackCode on_unknown(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t number,
                                      void* data, OTF2_AttributeList*) {
    return tell_event(data, otf2_other, {time, number, 1}, "UNKNOWN");
  }

  static OTF2_EvtReaderCallbacks* event_callbacks() {
    OTF2_EvtReaderCallbacks* const to = OTF2_EvtReaderCallbacks_New();
    hear<otf2_enter>(to, &OTF2_EvtReaderCallbacks_SetEnterCallback);
    hear<otf2_leave>(to, &OTF2_EvtReaderCallbacks_SetLeaveCallback);
    hear<otf2_enter_context>(to, &OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback);
    hear<otf2_leave_context>(to, &OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback);
    hear<otf2_send>(to, &OTF2_EvtReaderCallbacks_SetMpiSendCallback);
    hear<otf2_isend>(to, &OTF2_EvtReaderCallbacks_SetMpiIsendCallback);
    hear<otf2_isend_complete>(to, &OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback);
    hear<otf2_receive>(to, &OTF2_EvtReaderCallbacks_SetMpiRecvCallback);
    hear<otf2_irecv_request>(to, &OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback);
    hear<otf2_irecv>(to, &OTF2_EvtReaderCallbacks_SetMpiIrecvCallback);
    hear<otf2_request_test>(to, &OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback);
    hear<otf2_request_cancelled>(to, &OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback);
    hear<otf2_collective_begin>(to, &OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback);
    hear<otf2_collective_end>(to, &OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback);
    hear<otf2_collective_request>(to,
                                  &OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback);
    hear<otf2_collective_complete>(
        to, &OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback);
    hear<otf2_flush>(to, &OTF2_EvtReaderCallbacks_SetBufferFlushCallback);
    hear<otf2_recording>(to, &OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback);
    hear<otf2_program_event>(to, &OTF2_EvtReaderCallbacks_SetProgramEndCallback);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(to, &on_program_begin);
    OTF2_EvtReaderCallbacks_SetUnknownCallback(to, &on_unknown);
#define OTHER(name, text, moves) \
  hear_name<Other::name>(to, &OTF2_EvtReaderCallbacks_Set##name##Callback);
#include "otf2_other_events.inc"
#undef OTHER
    return to;
  }
  template <class... Arguments>
  static OTF2_CallbackCode on_program_begin(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t number,
                                            void* data, OTF2_AttributeList*, Arguments...) {
    return tell_event(data, otf2_program_event, {time, number});
  }

  const Otf2Sink& sink_;
  OTF2_Reader* reader_ = nullptr;
  std::vector<Rank> locations_;
  std::vector<Rank> ranks_;
  uint64_t told_events_ = 0;  ///< of the current rank
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void DCUBE_OTF2_FUNCTION(const char* anchor_file,
                                                                           const Otf2Sink* sink) {
  OTF2_Error_RegisterCallback(&keep_complaint, nullptr);
  complaint.clear();
  Archive archive{*sink};
  try {
    archive.read(anchor_file);
  } catch (const Problem& problem) {
    archive.tell(otf2_problem, {},
                 complaint.empty() ? problem.text : problem.text + " (" + complaint + ")");
  }
}
