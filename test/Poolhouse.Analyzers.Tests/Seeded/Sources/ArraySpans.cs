namespace Seeded;

internal static class ArraySpans
{
    public static int Largest(IReadOnlyCollection<int> values)
    {
        var count = values.Count;
        var rented = ArrayPool<int>.Shared.Rent(count);
        var span = rented.AsSpan(0, count);
        var index = 0;
        foreach (var value in values)
        {
            span[index++] = value;
        }

        span.Sort();
        var largest = span[count - 1];
        ArrayPool<int>.Shared.Return(rented);
        return largest;
    }
}

// mutant PH2002: the span is read after the return
// - var largest = span[count - 1];
// - ArrayPool<int>.Shared.Return(rented);
// - return largest;
// + ArrayPool<int>.Shared.Return(rented);
// + return [|span|][count - 1];

// mutant PH2002: sorted through a memory after the return
// - span.Sort();
// - var largest = span[count - 1];
// - ArrayPool<int>.Shared.Return(rented);
// - return largest;
// + var memory = rented.AsMemory(0, count);
// + ArrayPool<int>.Shared.Return(rented);
// + [|memory|].Span.Sort();
// + return 0;

// mutant PH2002: a segment is read after the return
// - span.Sort();
// - var largest = span[count - 1];
// - ArrayPool<int>.Shared.Return(rented);
// - return largest;
// + var segment = new ArraySegment<int>(rented, 0, count);
// + ArrayPool<int>.Shared.Return(rented);
// + return [|segment|][0];

// mutant PH2001: returned when it is empty, and at the end
// - span.Sort();
// + if (count == 0)
// + {
// + ArrayPool<int>.Shared.Return(rented);
// + }
// + span.Sort();
// no rule: returned twice on one path only
