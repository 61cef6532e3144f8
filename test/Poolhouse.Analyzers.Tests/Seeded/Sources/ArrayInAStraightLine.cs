namespace Seeded;

internal static class ArrayInAStraightLine
{
    public static int Checksum(ReadOnlySpan<byte> data)
    {
        var copy = ArrayPool<byte>.Shared.Rent(data.Length);
        data.CopyTo(copy);
        var checksum = 0;
        foreach (var value in copy.AsSpan(0, data.Length))
        {
            checksum = (checksum * 31) + value;
        }

        ArrayPool<byte>.Shared.Return(copy);
        return checksum;
    }
}

// mutant PH2002: an element is read after the return
// - return checksum;
// + return checksum + [|copy|][0];

// mutant PH2002: returned before the loop
// - var checksum = 0;
// - foreach (var value in copy.AsSpan(0, data.Length))
// + var checksum = 0;
// + ArrayPool<byte>.Shared.Return(copy);
// + foreach (var value in [|copy|].AsSpan(0, data.Length))
// - ArrayPool<byte>.Shared.Return(copy);
// - return checksum;
// + return checksum;

// mutant PH2001: the return stands there twice
// - return checksum;
// + [|ArrayPool<byte>.Shared.Return(copy)|];
// + return checksum;

// mutant PH2001: returned again through a second name
// - ArrayPool<byte>.Shared.Return(copy);
// + var same = copy;
// + ArrayPool<byte>.Shared.Return(copy);
// + [|ArrayPool<byte>.Shared.Return(same)|];

// mutant PH2007: the whole array is summed
// - foreach (var value in copy.AsSpan(0, data.Length))
// + foreach (var value in [|copy|])
