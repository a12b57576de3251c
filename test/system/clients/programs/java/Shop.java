import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

public class Shop {
    static class OutOfStock extends RuntimeException {
        OutOfStock(String article) { super(article + " is sold out"); }
    }

    record Customer(String name, String street) {}

    static void reserve(String article) { throw new OutOfStock(article); }

    static int priceOf(String article) { return Map.of("cup", "four").values().stream().mapToInt(Integer::parseInt).sum(); }

    static int place(String article) {
        try {
            return priceOf(article);
        } catch (NumberFormatException error) {
            throw new IllegalStateException("no order for " + article, error);
        }
    }

    static int lengthOf(Customer customer) { return customer.street().length(); }

    static int depth(String category, Map<String, String> parents) { return 1 + depth(parents.get(category), parents); }

    static String third(List<String> lines) { return lines.get(2); }

    static int share(int total, int people) { return total / people; }

    static String first(java.util.Iterator<String> lines) { return lines.next(); }

    static void discountOf(int percent) { assert percent <= 100 : "discount of " + percent + " percent"; }

    static void closeTill() {
        try (AutoCloseable till = () -> { throw new IllegalStateException("till is jammed"); }) {
            throw new UnsupportedOperationException("no change for 100");
        } catch (RuntimeException error) {
            throw error;
        } catch (Exception error) {
            throw new AssertionError(error);
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "own-type" -> reserve("teapot");
            case "cause" -> place("cup");
            case "null" -> lengthOf(new Customer("bo", null));
            case "recursion" -> depth("cups", Map.of("cups", "kitchen", "kitchen", "cups"));
            case "bounds" -> third(List.of("cup", "saucer"));
            case "assertion" -> discountOf(120);
            case "suppressed" -> closeTill();
            case "future" -> CompletableFuture.supplyAsync(() -> share(40, 0)).join();
            case "library-type" -> java.nio.file.Files.readString(java.nio.file.Path.of("/nonexistent/prices.csv"));
            case "thread" -> {
                Thread worker = new Thread(() -> first(List.<String>of().iterator()), "counter-1");
                worker.start();
                worker.join();
            }
            case "initializer" -> Settings.load();
            case "fatal-log" -> {
                System.getLogger("shop.till").log(System.Logger.Level.ERROR, "till 7 cannot be opened, giving up");
                System.exit(3);
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static class Settings {
        static final int PORT = Integer.parseInt("not a port");
        static void load() { System.out.println(PORT); }
    }
}
