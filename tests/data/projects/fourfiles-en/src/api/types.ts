/** What the server says of a hall; generated from its schema, don't edit. */
export interface Seat {
  id: string;
  row: number;
  x: number;
  group: string;
  sold: boolean;
}

export interface PriceGroup {
  id: string;
  name: string;
  cents: number;
  colour: string;
}

export interface Hall {
  show: string;
  seats: Seat[];
  groups: PriceGroup[];
}
