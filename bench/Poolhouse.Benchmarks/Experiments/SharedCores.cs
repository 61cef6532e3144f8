using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Poolhouse.Benchmarks.Experiments;

/// <summary>Shows why adding numbers to a list takes one time or nearly twice as long, without any pool.</summary>
// Two hardware threads may share a core: two virtual processors of this machine, or one and another machine's. Instructions that
// depend on each other leave most of the core unused, so a neighbour does not delay them. Independent instructions use nearly all
// of it, and take longer beside a neighbour. A lower clock frequency, in contrast, delays both.
internal static class SharedCores
{
    private const int Numbers = 10_000;
    private const int Slices = 2_000;
    private const int WarmUpSlices = 500;
    private const int CallsPerSlice = 10;

    private static readonly IReadOnlyList<(string Name, Func<List<int>, ulong, ulong> Run)> _loops =
    [
        ("adding 10,000 numbers to a list", Add),
        ("24,000 independent additions, no memory", AddIndependently),
        ("3,000 dependent multiplications, no memory", MultiplyDependently),
    ];

    /// <returns>0.</returns>
    public static int Run()
    {
        Console.WriteLine("Microseconds of three loops in slices of time, in turns; the slices are sorted by the time of the list.");
        for (var threads = 1; threads <= Environment.ProcessorCount; threads *= 2)
        {
            Print(threads, [.. Measure(threads).OrderBy(static slice => slice[0])]);
        }

        return 0;
    }

    private static void Print(int threads, double[][] slices)
    {
        Console.WriteLine();
        Console.WriteLine($"{(threads == 1 ? "1 thread" : $"{threads} threads"),-44} fastest tenth   middle tenth  slowest tenth");
        for (var loop = 0; loop < _loops.Count; loop++)
        {
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{_loops[loop].Name,-44} {Tenth(0),13:0.0} {Tenth(4.5),14:0.0} {Tenth(9),14:0.0}"));

            // The median, because a slice may include an interrupt.
            double Tenth(double number)
            {
                var tenth = slices.Skip((int)(number * slices.Length / 10)).Take(slices.Length / 10);
                return tenth.Select(slice => slice[loop]).Order().ElementAt(slices.Length / 20);
            }
        }
    }

    private static double[][] Measure(int threads)
    {
        var all = new double[threads][][];
        using var start = new Barrier(threads);
        var workers = Enumerable.Range(0, threads).Select(number => new Thread(() =>
        {
            var list = new List<int>(Numbers);
            start.SignalAndWait();
            all[number] = [.. Enumerable.Range(0, WarmUpSlices + Slices).Select(_ => Slice(list)).Skip(WarmUpSlices)];
        })).ToList();
        workers.ForEach(static worker => worker.Start());
        workers.ForEach(static worker => worker.Join());
        return [.. all.SelectMany(static slices => slices)];
    }

    private static double[] Slice(List<int> list)
    {
        var times = new double[_loops.Count];
        for (var loop = 0; loop < _loops.Count; loop++)
        {
            var value = _loops[loop].Run(list, 1); // brings the list into the cache
            var started = Stopwatch.GetTimestamp();
            for (var call = 0; call < CallsPerSlice; call++)
            {
                value = _loops[loop].Run(list, value);
            }

            times[loop] = Stopwatch.GetElapsedTime(started).TotalMicroseconds / CallsPerSlice;
        }

        return times;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Add(List<int> list, ulong value)
    {
        list.Clear();
        for (var i = 0; i < Numbers; i++)
        {
            list.Add(i);
        }

        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong AddIndependently(List<int> list, ulong value)
    {
        var (a, b, c, d, e, f) = (value, value, value, value, value, value);
        for (var i = 0; i < 4_000; i++)
        {
            a += 3;
            b += 5;
            c -= 7;
            d += 11;
            e -= 13;
            f += 17;
        }

        return a ^ b ^ c ^ d ^ e ^ f;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong MultiplyDependently(List<int> list, ulong value)
    {
        value |= 1;
        for (var i = 0; i < 3_000; i++)
        {
            value *= 0x9E37_79B9_7F4A_7C15;
        }

        return value;
    }
}
