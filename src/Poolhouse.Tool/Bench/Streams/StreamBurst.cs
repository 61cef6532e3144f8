using Poolhouse.Tool.Bench.Streams.Sources;
using Poolhouse.Tool.Bench.Streams.Work;

namespace Poolhouse.Tool.Bench.Streams;

/// <summary>Rents many streams, fills them in turns, and returns them.</summary>
internal sealed class StreamBurst<TSource, THeld>(TSource source, int streams, int length)
    where TSource : struct, IStreamSource<THeld>
{
    private readonly THeld[] _held = new THeld[streams];
    private readonly Stream[] _open = new Stream[streams];
    private readonly byte[] _chunk = new byte[WriteAndRead.ChunkLength];

    /// <param name="whenFull">Called while all of them are full.</param>
    public void Run(Action? whenFull)
    {
        for (var i = 0; i < _held.Length; i++)
        {
            _held[i] = source.Take(length: 0);
            _open[i] = source.Open(_held[i]);
        }

        for (var left = length; left > 0; left -= _chunk.Length)
        {
            var piece = _chunk.AsSpan(0, Math.Min(left, _chunk.Length));
            foreach (var stream in _open)
            {
                stream.Write(piece);
            }
        }

        whenFull?.Invoke();
        foreach (var held in _held)
        {
            source.Give(held);
        }

        Array.Clear(_held);
        Array.Clear(_open);
    }
}
