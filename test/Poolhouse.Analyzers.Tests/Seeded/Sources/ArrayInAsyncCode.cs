namespace Seeded;

internal static class ArrayInAsyncCode
{
    public static async Task<string> ReadAsync(Stream source, int count, CancellationToken cancellationToken)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(count);
        try
        {
            var read = await source.ReadAsync(buffer.AsMemory(0, count), cancellationToken);
            return Encoding.UTF8.GetString(buffer, 0, read);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    public static async Task<bool> IsEmptyAsync(Stream source, CancellationToken cancellationToken)
    {
        var one = ArrayPool<byte>.Shared.Rent(1);
        bool isEmpty;
        try
        {
            isEmpty = await source.ReadAsync(one.AsMemory(0, 1), cancellationToken) == 0;
        }
        catch
        {
            ArrayPool<byte>.Shared.Return(one);
            throw;
        }

        ArrayPool<byte>.Shared.Return(one);
        return isEmpty;
    }
}

// mutant PH2003: returned before the result is decoded
// - return Encoding.UTF8.GetString(buffer, 0, read);
// + var text = Encoding.UTF8.GetString(buffer, 0, read);
// + [|ArrayPool<byte>.Shared.Return(buffer)|];
// + return text;
// - ArrayPool<byte>.Shared.Return(buffer);
// - }
// - }
// + [|ArrayPool<byte>.Shared.Return(buffer)|];
// + }
// + }

// mutant PH2007: the whole array is decoded
// - return Encoding.UTF8.GetString(buffer, 0, read);
// + return Encoding.UTF8.GetString([|buffer|]);

// mutant PH2001: the catch block does not rethrow
// - throw;
// - }
// + isEmpty = true;
// + }
// - ArrayPool<byte>.Shared.Return(one);
// - return isEmpty;
// + [|ArrayPool<byte>.Shared.Return(one)|];
// + return isEmpty;
// no rule: only one of the two paths returns it twice

// mutant PH2002: read after the return at the end
// - return isEmpty;
// + return isEmpty || [|one|][0] == 0;

// mutant PH2006: the return does not survive an exception of the read
// - var one = ArrayPool<byte>.Shared.Rent(1);
// + var one = [|ArrayPool<byte>.Shared.Rent(1)|];
// - catch
// - {
// - ArrayPool<byte>.Shared.Return(one);
// + catch
// + {

// mutant PH2002: the read is given up, and still writes to the array
// - var read = await source.ReadAsync(buffer.AsMemory(0, count), cancellationToken);
// + var reading = [|source.ReadAsync(buffer.AsMemory(0, count), cancellationToken).AsTask()|];
// + if (await Task.WhenAny(reading, Task.Delay(1000, cancellationToken)) != reading)
// + {
// + throw new TimeoutException();
// + }
// + var read = await reading;

// mutant PH2002: the wait for the read has a limit
// - var read = await source.ReadAsync(buffer.AsMemory(0, count), cancellationToken);
// + var read = await [|source.ReadAsync(buffer.AsMemory(0, count), cancellationToken).AsTask().WaitAsync(cancellationToken)|];

// mutant PH2002: the read is not awaited
// - isEmpty = await source.ReadAsync(one.AsMemory(0, 1), cancellationToken) == 0;
// + _ = [|source.ReadAsync(one.AsMemory(0, 1), cancellationToken)|];
// + isEmpty = one[0] == 0;
