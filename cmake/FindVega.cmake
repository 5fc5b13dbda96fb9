# Finds Vega (https://vega.github.io), whose modules report pages carry with them. Debian:
# libjs-vega.
#
# Defines Vega_FOUND and Vega_FILES, the modules that charts on a canvas need, each after those it
# requires. Vega_ROOT or CMAKE_PREFIX_PATH may name the prefix of share/javascript/vega.

find_path(Vega_DIRECTORY vega-view.min.js PATH_SUFFIXES share/javascript/vega)
mark_as_advanced(Vega_DIRECTORY)

set(Vega_MODULES
  util event-selector expression time format loader dataflow statistics scale canvas scenegraph
  selection functions runtime parser view view-transforms transforms encode)
set(Vega_FILES ${Vega_MODULES})
list(TRANSFORM Vega_FILES REPLACE "(.+)" "${Vega_DIRECTORY}/vega-\\1.min.js")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Vega
  REQUIRED_VARS Vega_DIRECTORY
  REASON_FAILURE_MESSAGE "Report pages draw with it. On Debian it is the package libjs-vega.")
