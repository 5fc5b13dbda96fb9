#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "compat.hpp"
#include "engine/kernel.hpp"

namespace dcube::detail {

/// A SimGrid model that drives runs. It stays with SimGrid's engine from run to run, and is active
/// only during a run.
class Driver : public simgrid::kernel::resource::Model {
 public:
  using Wake = std::function<void(std::span<const ProcessId>)>;
  /// A run is active while this lives.
  class Running {
   public:
    /// `wake` makes the named processes run before SimGrid next asks the model.
    Running(Driver& model, Kernel& kernel, Wake wake) : model_{model} {
      model_.kernel_ = &kernel;
      model_.wake_ = std::move(wake);
      model_.due_ = {};
      model_.begin();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { model_.kernel_ = nullptr; }

   private:
    Driver& model_;
  };
  bool is_running() const { return kernel_ != nullptr; }

  bool next_occurring_event_is_idempotent() override { return false; }

 protected:
  explicit Driver(const std::string& name) : Model(name) {}

  Kernel* kernel_ = nullptr;
  Wake wake_;
  std::span<const ProcessId> due_;  ///< woken at the current instant and not yet told

 private:
  /// A run begins.
  virtual void begin() = 0;
};

}  // namespace dcube::detail
