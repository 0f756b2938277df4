package com.example.freight;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Set;

/** 只有一个接口：POST /quote，正文是“克 长 宽 高 分区”，返回分。 */
public final class FreightServer {
    public static void main(String[] arguments) throws IOException {
        var csv = FreightServer.class.getResourceAsStream("/rates.csv");
        var rates = new RateTable(new BufferedReader(new InputStreamReader(csv, StandardCharsets.UTF_8)));
        var calculator = new FreightCalculator(rates, new HolidaySurcharge(Set.of(), 0));
        var server = HttpServer.create(new InetSocketAddress(Integer.parseInt(arguments[0])), 0);
        server.createContext("/quote", exchange -> {
            String[] parts = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8).split(" ");
            var parcel = new Parcel(number(parts[0]), number(parts[1]), number(parts[2]), number(parts[3]), parts[4]);
            byte[] answer = Integer.toString(calculator.quote(parcel, LocalDate.now())).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }
}
