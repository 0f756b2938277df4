import type { PriceGroup } from "../api/types";
import { formatMoney } from "../state/prices";

export function drawLegend(groups: readonly PriceGroup[]): string {
  const items = groups.map((group) => `<li style="--colour:${group.colour}">${group.name} ${formatMoney(group.cents)}</li>`);
  return `<ul class="legend">${items.join("")}</ul>`;
}
