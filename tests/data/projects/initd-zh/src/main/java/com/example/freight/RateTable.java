package com.example.freight;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/** 费率表：分区 → 首重、续重。启动时读一次。 */
public final class RateTable {
    public record Rate(int firstGram, int firstFen, int nextGram, int nextFen) {}

    private final Map<String, Rate> rates = new HashMap<>();

    public RateTable(BufferedReader csv) {
        try {
            csv.readLine();
            for (String line = csv.readLine(); line != null; line = csv.readLine()) {
                String[] cells = line.split(",");
                rates.put(cells[0], new Rate(number(cells[1]), number(cells[2]), number(cells[3]), number(cells[4])));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static int number(String cell) {
        return Integer.parseInt(cell.trim());
    }

    public Rate of(String zone) {
        Rate rate = rates.get(zone);
        if (rate == null) {
            throw new IllegalArgumentException("没有这个分区：" + zone);
        }
        return rate;
    }
}
