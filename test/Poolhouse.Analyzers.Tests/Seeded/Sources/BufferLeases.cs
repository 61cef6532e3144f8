namespace Seeded;

internal sealed class BufferLeases(TieredArrayPool<byte> arrays)
{
    public int Sum(Stream source, int count)
    {
        using var buffer = arrays.RentExact(count);
        source.ReadExactly(buffer.Span);
        var sum = 0;
        foreach (var value in buffer.Span)
        {
            sum += value;
        }

        return sum;
    }

    public byte First(Stream source)
    {
        var buffer = arrays.RentExact(1);
        var span = buffer.Span;
        source.ReadExactly(span);
        var first = span[0];
        buffer.Dispose();
        return first;
    }
}

// mutant PH1001: the lease is not disposed
// - using var buffer = arrays.RentExact(count);
// + var buffer = [|arrays.RentExact(count)|];

// mutant PH1012: the span is read after the end
// - var first = span[0];
// - buffer.Dispose();
// - return first;
// + buffer.Dispose();
// + return [|span|][0];

// mutant PH1002: the lease is read after the end
// - var first = span[0];
// - buffer.Dispose();
// - return first;
// + buffer.Dispose();
// + return [|buffer.Span|][0];

// mutant PH1012: the memory is read after the end
// - var first = span[0];
// - buffer.Dispose();
// - return first;
// + var memory = buffer.Memory;
// + buffer.Dispose();
// + return [|memory|].Span[0];

// mutant PH1007: the detached array is thrown away
// - buffer.Dispose();
// - return first;
// + [|buffer.Detach()|];
// + return first;

// mutant PH1001: the disposal at the end is dropped
// - var buffer = arrays.RentExact(1);
// + var buffer = [|arrays.RentExact(1)|];
// - buffer.Dispose();
// - return first;
// + return first;
