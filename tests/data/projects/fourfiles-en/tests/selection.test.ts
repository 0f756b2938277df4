import { expect, test } from "vitest";
import type { Hall } from "../src/api/types";
import { toggleSeat } from "../src/state/selection";

const hall: Hall = {
  show: "demo",
  seats: [
    { id: "A1", row: 1, x: 1, group: "stalls", sold: false },
    { id: "A2", row: 1, x: 2, group: "stalls", sold: true },
  ],
  groups: [{ id: "stalls", name: "Stalls", cents: 2450, colour: "#376" }],
};

test("a seat is picked once and put back by a second click", () => {
  const picked = toggleSeat(hall, [], "A1");
  expect(picked).toEqual(["A1"]);
  expect(toggleSeat(hall, picked, "A1")).toEqual([]);
});

test("a sold seat can't be picked", () => {
  expect(toggleSeat(hall, [], "A2")).toEqual([]);
});
