using Poolhouse.Tool.Bench.Measuring;

namespace Poolhouse.Tool.Bench;

/// <summary>Finds the size from which on a pool pays off.</summary>
internal static class Crossover
{
    /// <summary>A pool pays if it takes at most this share of the time without a pool; a smaller gain is noise.</summary>
    public const double Pays = 0.95;

    /// <summary>The smallest x from which on every ratio pays.</summary>
    /// <returns>Null when the largest x does not pay.</returns>
    public static long? From(IEnumerable<(long X, double Ratio)> ratios)
    {
        long? from = null;
        foreach (var (x, ratio) in ratios.OrderByDescending(each => each.X))
        {
            if (ratio > Pays)
            {
                return from;
            }

            from = x;
        }

        return from;
    }

    /// <summary>The verdict over sizes, for each thread count, with equal answers put together.</summary>
    /// <param name="results">All of an experiment.</param>
    /// <param name="parameter">Which parameter is the size.</param>
    /// <param name="size">A size in words.</param>
    public static Verdict Judge(IReadOnlyList<Measurement> results, int parameter, Func<long, string> size)
    {
        var answers = Answers(results, parameter);
        if (answers.Count == 0)
        {
            return new Verdict(Outcome.Unknown, "Not measured.");
        }

        var smallest = results.Min(result => result.Parameters[parameter]);
        if (answers.TrueForAll(answer => answer.From is null))
        {
            return new Verdict(Outcome.DoesNotPay, "Pooling does not pay at any measured size or thread count.");
        }

        if (answers.TrueForAll(answer => answer.From == smallest))
        {
            return new Verdict(Outcome.Pays, $"Pooling pays at every thread count and size, from {size(smallest)} on.");
        }

        // "Pooling pays with 2–4 threads from 10 numbers on, with 8 threads from 1,000 numbers on; with 1 thread it does not."
        var pays = Runs(answers).Where(run => run.From is not null).Select(run => $"with {run.Threads} from {size(run.From!.Value)} on");
        var not = Runs(answers).Where(run => run.From is null).Select(run => $"with {run.Threads}").ToList();
        return new Verdict(
            Outcome.Depends,
            $"Pooling pays {string.Join(", ", pays)}{(not.Count == 0 ? "" : $"; {string.Join(" and ", not)} it does not")}.");
    }

    private static List<(int Threads, long? From)> Answers(IReadOnlyList<Measurement> results, int parameter) =>
    [
        .. Results.Cells(results)
            .Where(cell => Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool) is not null)
            .GroupBy(cell => cell[0].Threads)
            .OrderBy(group => group.Key)
            .Select(group => (group.Key, From(group.Select(cell =>
                (cell[0].Parameters[parameter], Results.Ratio(cell, RivalNames.Poolhouse, RivalNames.NoPool)!.Value))))),
    ];

    private static IEnumerable<(string Threads, long? From)> Runs(List<(int Threads, long? From)> answers)
    {
        for (var i = 0; i < answers.Count;)
        {
            var last = answers.FindIndex(i, answer => answer.From != answers[i].From);
            last = last < 0 ? answers.Count - 1 : last - 1;
            yield return (
                last == i
                    ? Units.Threads(answers[i].Threads)
                    : $"{Units.Count(answers[i].Threads)}–{Units.Threads(answers[last].Threads)}",
                answers[i].From);
            i = last + 1;
        }
    }
}
