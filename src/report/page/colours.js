// Colours that people with any kind of colour vision tell apart.

// Okabe & Ito, Color Universal Design (2008). The plotting scripts use the same for activities.
const activities = [
  { name: "compute", colour: "#56b4e9" },
  { name: "communication", colour: "#0072b2" },
  { name: "waiting", colour: "#d55e00" },
  { name: "endpoint", colour: "#f0e442" },
  { name: "idle", colour: "#e4e7eb" },
];
const waiting = 2;
const idle = 4;
const bit_colours = ["#56b4e9", "#e69f00"];
const dot_colours = { moving: "#0072b2", queued: "#cc79a7" };
// Around the busiest links; viridis has no red.
const busiest_colour = "#d55e00";
const nothing_here = "#ffffff";
const failed_colours = { from_start: "#6e7781", later: "#1b1f24", node: "#d0d7de" };

const viridis_stops = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

const mixed = (from, to, share) => `rgb(${rgb(from).map((part, i) => Math.round(part + share * (rgb(to)[i] - part)))})`;

// `share` from 0 (dark) to 1 (bright).
function viridis(share) {
  const at = Math.max(0, Math.min(1, share)) * (viridis_stops.length - 1);
  const below = Math.min(Math.floor(at), viridis_stops.length - 2);
  return mixed(viridis_stops[below], viridis_stops[below + 1], at - below);
}

// On white paper much is dark and little is bright.
const heat = (share) => viridis(1 - share);
const heat_stops = [...viridis_stops].reverse();

// Black or white, whichever is read more easily on the colour.
function ink_on(colour) {
  const parts = colour.startsWith("#") ? rgb(colour) : colour.match(/\d+/g).map(Number);
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] > 140 ? "#1b1f24" : "#ffffff";
}
