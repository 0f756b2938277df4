import type { Hall } from "../api/types";
import type { Selection } from "./selection";

/** What a selection costs, in whole cents. */
export function totalCents(hall: Hall, selection: Selection): number {
  const cents = new Map(hall.groups.map((group) => [group.id, group.cents]));
  return hall.seats
    .filter((seat) => selection.includes(seat.id))
    .reduce((sum, seat) => sum + (cents.get(seat.group) ?? 0), 0);
}

export function formatMoney(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
