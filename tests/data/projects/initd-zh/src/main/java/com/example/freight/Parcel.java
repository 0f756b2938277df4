package com.example.freight;

/** 一个包裹：克、毫米。 */
public record Parcel(int grams, int length, int width, int height, String zone) {
    /** 抛货系数：每 6000 立方厘米算一公斤。 */
    private static final int CUBIC_PER_KILO = 6000;

    public Parcel {
        if (grams <= 0 || length <= 0 || width <= 0 || height <= 0) {
            throw new IllegalArgumentException("重量和尺寸必须为正");
        }
    }

    /** 计费重量，克：实重与体积重取大。 */
    public int chargeableGrams() {
        long cubicCentimetres = (long) length * width * height / 1000;
        return Math.max(grams, (int) (cubicCentimetres * 1000 / CUBIC_PER_KILO));
    }
}
