package com.example.freight;

import java.time.LocalDate;

/** 算运费，结果以分为单位。没有状态，可以并发调用。 */
public final class FreightCalculator {
    private final RateTable rates;
    private final HolidaySurcharge surcharge;

    public FreightCalculator(RateTable rates, HolidaySurcharge surcharge) {
        this.rates = rates;
        this.surcharge = surcharge;
    }

    public int quote(Parcel parcel, LocalDate day) {
        RateTable.Rate rate = rates.of(parcel.zone());
        int rest = Math.max(0, parcel.chargeableGrams() - rate.firstGram());
        int steps = (rest + rate.nextGram() - 1) / rate.nextGram();
        return surcharge.applyTo(rate.firstFen() + steps * rate.nextFen(), day);
    }
}
