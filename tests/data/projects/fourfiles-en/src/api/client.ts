import type { Hall } from "./types";

const base = "/api/v2";

async function answer<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status} from ${response.url}`);
  return (await response.json()) as T;
}

export async function fetchHall(show: string): Promise<Hall> {
  return answer(await fetch(`${base}/shows/${encodeURIComponent(show)}/hall`));
}

export async function reserve(show: string, seats: readonly string[]): Promise<{ code: string }> {
  const body = JSON.stringify({ seats });
  const headers = { "content-type": "application/json" };
  return answer(await fetch(`${base}/shows/${encodeURIComponent(show)}/reservations`, { method: "POST", body, headers }));
}
