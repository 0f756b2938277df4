package com.example.freight;

import java.time.LocalDate;
import java.util.Set;

/** 节假日加价：万分比，向上取整到角。 */
public final class HolidaySurcharge {
    private final Set<LocalDate> days;
    private final int perTenThousand;

    public HolidaySurcharge(Set<LocalDate> days, int perTenThousand) {
        this.days = Set.copyOf(days);
        this.perTenThousand = perTenThousand;
    }

    public int applyTo(int fen, LocalDate day) {
        if (!days.contains(day)) {
            return fen;
        }
        long raised = (long) fen * (10_000 + perTenThousand);
        return (int) ((raised + 99_999) / 100_000) * 10;
    }
}
