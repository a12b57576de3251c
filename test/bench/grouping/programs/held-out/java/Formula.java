// Evaluates formulas in prefix notation by recursion.
// case apply division: eval /,6,0 B1 | eval +,1,/,7,0 B2 | cell -,4,/,12,0 B7 | cell *,2,+,3,/,9,0 A1
// case apply operator: eval %,6,2 C1 | eval +,1,^,2,3 C2 | cell -,4,&,1,2 C12 | cell *,2,+,3,<,9,1 D9
// case operand name: eval +,price,1 E1 | eval *,2,total_9 E2 | cell /,net,4 B2 | cell -,1,+,2,vat7 F4
// case operand end: eval + G1 | eval *,2 G2 | cell +,1,-,3 A9 | cell /,1,* ZZ3
package com.acme.sheet;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

class FormulaException extends RuntimeException {
  FormulaException(String message) {
    super(message);
  }

  FormulaException(String cell, RuntimeException cause) {
    super("cell " + cell + " has no value", cause);
  }
}

public class Formula {
  private final Deque<String> words;
  private final int count;

  Formula(String text) {
    words = new ArrayDeque<>(List.of(text.split(",")));
    count = words.size();
  }

  String operand() {
    String word = words.poll();
    if (word == null) throw new FormulaException("the formula ends after " + count + " words");
    if (Character.isLetter(word.charAt(0))) throw new FormulaException("name " + word + " is not defined");
    return word;
  }

  static int apply(String sign, int left, int right) {
    return switch (sign) {
      case "+" -> left + right;
      case "-" -> left - right;
      case "*" -> left * right;
      case "/" -> left / right;
      default -> throw new UnsupportedOperationException("operator " + sign);
    };
  }

  int evaluate() {
    String word = operand();
    if (word.matches("\\d+")) return Integer.parseInt(word);
    int left = evaluate();
    return apply(word, left, evaluate());
  }

  static int cell(String name, String text) {
    try {
      return new Formula(text).evaluate();
    } catch (RuntimeException e) {
      throw new FormulaException(name, e);
    }
  }

  public static void main(String[] args) {
    System.out.println(args[0].equals("cell") ? cell(args[2], args[1]) : new Formula(args[1]).evaluate());
  }
}
