namespace Seeded;

internal static class ArrayInALoop
{
    public static long Copy(Stream source, Stream target)
    {
        long total = 0;
        var buffer = ArrayPool<byte>.Shared.Rent(4096);
        try
        {
            int read;
            while ((read = source.Read(buffer)) > 0)
            {
                target.Write(buffer, 0, read);
                total += read;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        return total;
    }

    public static void WriteAll(IEnumerable<string> lines, Stream target)
    {
        foreach (var line in lines)
        {
            var bytes = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetMaxByteCount(line.Length));
            var count = Encoding.UTF8.GetBytes(line, bytes);
            target.Write(bytes.AsSpan(0, count));
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }
}

// mutant PH2007: the whole buffer is written in each round
// - target.Write(buffer, 0, read);
// + target.Write(buffer, 0, [|buffer.Length|]);

// mutant PH2001: returned twice in each round
// - target.Write(bytes.AsSpan(0, count));
// + target.Write(bytes.AsSpan(0, count));
// + ArrayPool<byte>.Shared.Return(bytes);
// - ArrayPool<byte>.Shared.Return(bytes);
// - }
// - }
// + [|ArrayPool<byte>.Shared.Return(bytes)|];
// + }
// + }

// mutant PH2002: written after the return in each round
// - target.Write(bytes.AsSpan(0, count));
// - ArrayPool<byte>.Shared.Return(bytes);
// + ArrayPool<byte>.Shared.Return(bytes);
// + target.Write([|bytes|].AsSpan(0, count));
