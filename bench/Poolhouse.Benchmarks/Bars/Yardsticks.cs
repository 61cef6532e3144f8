using System.Globalization;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>
/// The cost of simpler operations on this machine in the same run, to judge a bar that falls short. Not lower bounds.
/// </summary>
internal static class Yardsticks
{
    private const int Calls = 2_000;
    private const int Rounds = 11;

    public static void Print()
    {
        Console.WriteLine();
        Console.WriteLine("For comparison, nanoseconds a pair:");
        Show<ThreadStaticStack<Depth1>>("a bare [ThreadStatic] stack, get+return: no bound, no books, no sweeps");
        Show<ThreadStaticStack<Depth8>>("the same, nested 8");
        Show<ThreadStaticStack<Depth2048>>("the same, drain+refill 2,048: no depot either");
        Show<SlotWithExchange>("a field and one locked exchange: what ends a lease costs on top");
    }

    private static void Show<TOperation>(string what)
        where TOperation : struct, IOperation
    {
        Timing.NanosecondsPerPair<TOperation>(threads: 1, Calls * 4);
        var rounds =
            Enumerable.Range(0, Rounds).Select(_ => Timing.NanosecondsPerPair<TOperation>(threads: 1, Calls)).Order().ToList();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  {rounds[Rounds / 2],6:0.00}  {what}"));
    }

    private readonly struct ThreadStaticStack<TDepth> : IOperation
        where TDepth : struct, IDepth
    {
        public static void Run(int pairs)
        {
            var held = Pools.Things.AsSpan(0, TDepth.Value);
            for (var done = 0; done < pairs; done += held.Length)
            {
                for (var i = 0; i < held.Length; i++)
                {
                    held[i] = BareStack.Take();
                }

                foreach (var thing in held)
                {
                    BareStack.Put(thing);
                }
            }
        }
    }

    private readonly struct SlotWithExchange : IOperation
    {
        private static Thing? _slot;

        public static void Run(int pairs)
        {
            for (var i = 0; i < pairs; i++)
            {
                var thing = Interlocked.Exchange(ref _slot, null) ?? new Thing();
                thing.Uses++;
                Volatile.Write(ref _slot, thing);
            }
        }
    }

    /// <summary>What one writes first: a stack for each thread and nothing else.</summary>
    private static class BareStack
    {
        [ThreadStatic]
        private static Thing?[]? _items;

        [ThreadStatic]
        private static int _count;

        public static Thing Take()
        {
            var top = _count - 1;
            if (_items is { } items && (uint)top < (uint)items.Length && items[top] is { } thing)
            {
                items[top] = null;
                _count = top;
                return thing;
            }

            return new Thing();
        }

        public static void Put(Thing thing)
        {
            var items = _items ??= new Thing?[Pools.Retained];
            var count = _count;
            if ((uint)count < (uint)items.Length)
            {
                items[count] = thing;
                _count = count + 1;
            }
        }
    }
}
