import type { Hall } from "../api/types";

/** Ids of the picked seats, in the order in which they were picked. */
export type Selection = readonly string[];

export const MOST_SEATS = 6;

export function toggleSeat(hall: Hall, selection: Selection, id: string): Selection {
  if (selection.includes(id)) return selection.filter((other) => other !== id);
  const seat = hall.seats.find((candidate) => candidate.id === id);
  if (seat === undefined || seat.sold) return selection;
  return [...selection, id].slice(-MOST_SEATS);
}

export function load(show: string): Selection {
  try {
    return JSON.parse(sessionStorage.getItem(`seats:${show}`) ?? "[]") as string[];
  } catch {
    return [];
  }
}

export function save(show: string, selection: Selection): void {
  sessionStorage.setItem(`seats:${show}`, JSON.stringify(selection));
}
