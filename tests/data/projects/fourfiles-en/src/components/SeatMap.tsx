import type { Hall } from "../api/types";
import type { Selection } from "../state/selection";

const STEP = 24;

/** The hall as SVG; every seat carries its id in `data-seat`. */
export function drawSeatMap(hall: Hall, selection: Selection): string {
  const colours = new Map(hall.groups.map((group) => [group.id, group.colour]));
  const seats = hall.seats.map((seat) => {
    const state = seat.sold ? "sold" : selection.includes(seat.id) ? "picked" : "free";
    const place = `cx="${seat.x * STEP}" cy="${seat.row * STEP}"`;
    return `<circle class="${state}" data-seat="${seat.id}" ${place} r="9" fill="${colours.get(seat.group)}"/>`;
  });
  return `<svg role="group" aria-label="Seats">${seats.join("")}</svg>`;
}
