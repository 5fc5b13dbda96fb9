#pragma once

#include <stdint.h>

// Records of a trace from the module dcube-otf2.so: definitions, then the events of each rank. They
// are plain C, so the module needs nothing of the program. On a change, rename the function.

// Kind of a record, with the meaning of its values.
enum Otf2RecordKind : uint32_t {
  otf2_resolution = 1,      // ticks of the clock per second
  otf2_creator,             // payload: its name
  otf2_location,            // location, 1 if it is a thread of a processor, events
  otf2_region,              // region, 1 if it is of MPI
  otf2_calling_context,     // context, region
  otf2_group,               // group, type, 1 if it is of MPI, 1 if members are global; payload:
                            // members, 8 bytes each
  otf2_communicator,        // communicator, group
  otf2_inter_communicator,  // communicator
  otf2_rank,                // its location; the events that follow are those of this location
  // Events: values 0 and 1 are the time and the number of the event in its location.
  otf2_enter,                // .. region
  otf2_leave,                // .. region
  otf2_enter_context,        // .. context, distance of unwinding
  otf2_leave_context,        // .. context
  otf2_send,                 // .. receiver, communicator, tag, bytes
  otf2_isend,                // .. receiver, communicator, tag, bytes, request
  otf2_isend_complete,       // .. request
  otf2_receive,              // .. sender, communicator, tag, bytes
  otf2_irecv_request,        // .. request
  otf2_irecv,                // .. sender, communicator, tag, bytes, request
  otf2_request_test,         // .. request
  otf2_request_cancelled,    // .. request
  otf2_collective_begin,     // ..
  otf2_collective_end,       // .. operation, communicator, root, bytes sent, bytes received
  otf2_collective_request,   // .. request
  otf2_collective_complete,  // .. operation, communicator, root, bytes sent, bytes received,
                             // request
  otf2_program_event,        // .. the program begins or ends
  otf2_flush,                // .. end of writing the buffer of events
  otf2_recording,            // .. 1 if recording begins, 2 if it ends
  otf2_other,                // .. 1 if it moves data or makes processes wait; payload: its name
  // End of the records.
  otf2_done,
  otf2_problem  // payload: the error
};

struct Otf2Record {
  uint32_t kind;
  uint32_t payload_bytes;
  uint64_t values[8];
};

struct Otf2Sink {
  void* context;
  void (*record)(void* context, const Otf2Record* record, const void* payload);
};

// Reads the archive with this anchor file. The last record is otf2_done or otf2_problem.
using Otf2Read = void (*)(const char* anchor_file, const Otf2Sink* sink);
#define DCUBE_OTF2_FUNCTION dcube_read_otf2_3
#define DCUBE_OTF2_FUNCTION_NAME "dcube_read_otf2_3"
