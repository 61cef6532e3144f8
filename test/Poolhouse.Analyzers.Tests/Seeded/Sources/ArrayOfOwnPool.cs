namespace Seeded;

internal sealed class ArrayOfOwnPool(Stream target)
{
    private readonly ArrayPool<byte> _small = ArrayPool<byte>.Create(4096, 8);
    private readonly ArrayPool<byte> _large = ArrayPool<byte>.Create(1 << 20, 4);

    public void Write(string text)
    {
        var length = Encoding.UTF8.GetByteCount(text);
        var bytes = _small.Rent(length);
        try
        {
            var written = Encoding.UTF8.GetBytes(text, bytes);
            target.Write(bytes, 0, written);
        }
        finally
        {
            _small.Return(bytes);
        }
    }

    public int Largest() => _large.Rent(1).Length;
}

// mutant PH2004: returned to the pool of the large arrays
// - _small.Return(bytes);
// + [|_large.Return(bytes)|];

// mutant PH2004: returned to the shared pool
// - _small.Return(bytes);
// + [|ArrayPool<byte>.Shared.Return(bytes)|];

// mutant PH2007: the whole array is written
// - target.Write(bytes, 0, written);
// + target.Write([|bytes|]);

// mutant PH2003: returned in the try block and in finally
// - target.Write(bytes, 0, written);
// + target.Write(bytes, 0, written);
// + [|_small.Return(bytes)|];
// - finally
// - {
// - _small.Return(bytes);
// + finally
// + {
// + [|_small.Return(bytes)|];
