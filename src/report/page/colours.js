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
const unused_link = "#dde2e7";
const switch_colour = "#c4ccd4";
const failed_colours = { from_start: "#6e7781", later: "#1b1f24", node: "#d0d7de" };

// Viridis from its bright end.
const heat_stops = ["#fde725", "#b5de2b", "#6ece58", "#35b779", "#1f9e89", "#26828e", "#31688e", "#3e4989", "#482878", "#440154"];

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

const mixed = (from, to, share) => `rgb(${rgb(from).map((part, i) => Math.round(part + share * (rgb(to)[i] - part)))})`;

// The one scale of the pages, from 0 to 1: on white paper little is bright and much is dark.
function heat(share) {
  const at = Math.max(0, Math.min(1, share)) * (heat_stops.length - 1);
  const below = Math.min(Math.floor(at), heat_stops.length - 2);
  return mixed(heat_stops[below], heat_stops[below + 1], at - below);
}

// Relative luminance (WCAG 2).
function luminance(colour) {
  const parts = colour.startsWith("#") ? rgb(colour) : colour.match(/\d+/g).map(Number);
  const [red, green, blue] = parts.map((part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Black or white, whichever is read more easily; either has a contrast of 4.5 on any colour.
const ink_on = (colour) => (luminance(colour) > 0.179 ? "#000000" : "#ffffff");
