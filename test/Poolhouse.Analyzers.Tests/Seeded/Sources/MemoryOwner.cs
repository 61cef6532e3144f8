namespace Seeded;

internal static class MemoryOwner
{
    public static int Sum(Stream source, int count)
    {
        using var owner = MemoryPool<byte>.Shared.Rent(count);
        var memory = owner.Memory[..count];
        var read = source.Read(memory.Span);
        var sum = 0;
        foreach (var value in memory.Span[..read])
        {
            sum += value;
        }

        return sum;
    }

    public static byte First(Stream source)
    {
        var owner = MemoryPool<byte>.Shared.Rent(1);
        source.ReadExactly(owner.Memory.Span[..1]);
        var first = owner.Memory.Span[0];
        owner.Dispose();
        return first;
    }
}

// mutant PH2010: the owner is not disposed
// - using var owner = MemoryPool<byte>.Shared.Rent(count);
// + var owner = [|MemoryPool<byte>.Shared.Rent(count)|];

// mutant PH2010: the memory is read after the disposal
// - var first = owner.Memory.Span[0];
// - owner.Dispose();
// - return first;
// + owner.Dispose();
// + return [|owner|].Memory.Span[0];

// mutant PH2010: disposed by nobody
// - var owner = MemoryPool<byte>.Shared.Rent(1);
// + var owner = [|MemoryPool<byte>.Shared.Rent(1)|];
// - owner.Dispose();
// - return first;
// + return first;
