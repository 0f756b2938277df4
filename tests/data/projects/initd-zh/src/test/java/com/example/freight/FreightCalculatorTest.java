package com.example.freight;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.StringReader;
import java.time.LocalDate;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreightCalculatorTest {
    private static final LocalDate DAY = LocalDate.of(2026, 3, 2);
    private final RateTable rates = new RateTable(new BufferedReader(new StringReader("h\n偏远,1000,2000,500,900\n")));
    private final FreightCalculator calculator =
            new FreightCalculator(rates, new HolidaySurcharge(Set.of(DAY.plusDays(1)), 2000));

    @Test
    void 首重以内只收首重() {
        assertEquals(2000, calculator.quote(new Parcel(800, 100, 100, 100, "偏远"), DAY));
    }

    @Test
    void 续重不足一档按一档收() {
        assertEquals(2900, calculator.quote(new Parcel(1001, 100, 100, 100, "偏远"), DAY));
    }

    @Test
    void 节假日加两成() {
        assertEquals(2400, calculator.quote(new Parcel(800, 100, 100, 100, "偏远"), DAY.plusDays(1)));
    }
}
