namespace Seeded;

internal static class ArrayInTryFinally
{
    public static int Sum(Stream source, int count)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(count);
        try
        {
            var read = source.Read(buffer, 0, count);
            var sum = 0;
            for (var i = 0; i < read; i++)
            {
                sum += buffer[i];
            }

            return sum;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}

// mutant PH2003: returned in the try block and again in finally
// - return sum;
// + [|ArrayPool<byte>.Shared.Return(buffer)|];
// + return sum;
// - ArrayPool<byte>.Shared.Return(buffer);
// + [|ArrayPool<byte>.Shared.Return(buffer)|];

// mutant PH2001: returned twice in finally
// - ArrayPool<byte>.Shared.Return(buffer);
// + ArrayPool<byte>.Shared.Return(buffer);
// + [|ArrayPool<byte>.Shared.Return(buffer)|];

// mutant PH2002: cleared after the return
// - ArrayPool<byte>.Shared.Return(buffer);
// + ArrayPool<byte>.Shared.Return(buffer);
// + Array.Clear([|buffer|]);

// mutant PH2007: the loop runs to the length of the array
// - for (var i = 0; i < read; i++)
// + for (var i = 0; i < [|buffer.Length|]; i++)

// mutant PH2004: returned to another pool
// - ArrayPool<byte>.Shared.Return(buffer);
// + [|TieredArrayPool<byte>.Shared.Return(buffer)|];

// mutant PH2005: the return is dropped
// - var buffer = ArrayPool<byte>.Shared.Rent(count);
// + var buffer = [|ArrayPool<byte>.Shared.Rent(count)|];
// - ArrayPool<byte>.Shared.Return(buffer);
// + Console.WriteLine(count);
