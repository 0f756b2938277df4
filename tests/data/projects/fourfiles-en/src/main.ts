import { fetchHall, reserve } from "./api/client";
import { drawBasket } from "./components/Basket";
import { drawLegend } from "./components/Legend";
import { drawSeatMap } from "./components/SeatMap";
import { load, save, toggleSeat, type Selection } from "./state/selection";

const hallElement = document.querySelector<HTMLElement>("#hall")!;
const basketElement = document.querySelector<HTMLElement>("#basket")!;

async function start(show: string): Promise<void> {
  const hall = await fetchHall(show);
  let selection: Selection = load(show);

  function draw(): void {
    hallElement.innerHTML = drawSeatMap(hall, selection) + drawLegend(hall.groups);
    basketElement.innerHTML = drawBasket(hall, selection);
  }

  hallElement.addEventListener("click", (event) => {
    const id = (event.target as Element).getAttribute("data-seat");
    if (id === null) return;
    selection = toggleSeat(hall, selection, id);
    save(show, selection);
    draw();
  });
  basketElement.addEventListener("submit", async (event) => {
    event.preventDefault();
    await reserve(show, selection);
  });
  draw();
}

void start(new URLSearchParams(location.search).get("show") ?? "demo");
