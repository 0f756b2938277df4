import type { Hall } from "../api/types";
import { formatMoney, totalCents } from "../state/prices";
import type { Selection } from "../state/selection";

export function drawBasket(hall: Hall, selection: Selection): string {
  if (selection.length === 0) return "<p>Pick a seat.</p>";
  const total = formatMoney(totalCents(hall, selection));
  return `<form><output>${selection.join(", ")}</output><strong>${total}</strong><button>Reserve</button></form>`;
}
