"""The rows of single calls: what a hit costs against the kernel's own time, in the same process.

Eager, so that it is the hit that is measured and not the cost rule; the programs prove that their timed calls
were served, and stop when they were not.
"""
import math
import statistics

from measure import Cannot, Row, interval, noise, output_of, ratio


def measure(context, program, pairs, bell):
    test = "eager,bell=epoll" if bell == "epoll" else "eager"
    lines = output_of([context.program(program), context.directory(program), str(pairs)],
                      context.on(FASTPATH_TEST=test)).splitlines()
    words = [line.split() for line in lines]
    rang = next((w[1] for w in words if w[0] == "bell"), "none")
    if bell and rang != bell:
        raise Cannot(f"the bell is {rang}, not {bell}")
    return words, rang


def numbers(words, kind):
    return [tuple(float(x) for x in w[1:]) for w in words if w[0] == kind]


def hit_row(context, name, program, what, must, aim, bell=None):
    words, rang = measure(context, program, context.pairs(120, 40), bell)
    found = ratio([(w, b) for b, w in numbers(words, "pair")])  # the hit as the base: times cheaper
    note = f"{found['with_']:.0f} ns -> {found['base']:.1f} ns, {rang} bell"
    return [Row(name, what, found["ratio"], must, aim, better="more", unit="x", sd=found["sd"], ci=found["ci"],
                pairs=found["pairs"], noise=noise(numbers(words, "noise")), base=found["with_"],
                with_=found["base"], note=note)]


def hit_threads(context):
    words, rang = measure(context, "hit_threads", context.pairs(200, 60), None)
    rounds = numbers(words, "threads")
    shares = [math.log((h2 / h1) / (a2 / a1)) for h1, h2, a1, a2 in rounds]
    # One thread of each round ran on one core, the next round's on the other: a round alone is biased when
    # the cores are not equally fast, and so are both its gains.
    low, high = interval(shares)
    hit_gain = statistics.median(h2 / h1 for h1, h2, _, _ in rounds)
    alu_gain = statistics.median(a2 / a1 for _, _, a1, a2 in rounds)
    return [Row("hit_threads", "the same hit on 2 threads: gain as a share of an ALU loop's",
                math.exp(statistics.median(shares)), 0.95, 1.00, better="more", sd=statistics.stdev(shares),
                ci=[math.exp(low), math.exp(high)], pairs=len(rounds), base=alu_gain, with_=hit_gain,
                note=f"hit x{hit_gain:.3f}, loop x{alu_gain:.3f}, {rang} bell")]


WORKLOADS = {
    "hit_absent": lambda c: hit_row(c, "hit_absent", "hit_absent",
                                    "access() of a missing file, page bell", 15, 25, "page"),
    "hit_absent_epoll": lambda c: hit_row(c, "hit_absent_epoll", "hit_absent",
                                          "same, pending-check bell", 3, 4, "epoll"),
    "hit_present": lambda c: hit_row(c, "hit_present", "hit_present", "access() of a present file", 20, 40),
    "hit_realpath": lambda c: hit_row(c, "hit_realpath", "hit_realpath",
                                      "realpath() of a missing file, 6 components", 30, 60),
    "hit_threads": hit_threads,
}
