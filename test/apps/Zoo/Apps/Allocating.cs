using System.Buffers;
using System.Text;
using Poolhouse;

namespace Zoo.Apps;

/// <summary>A new array on the large object heap each time.</summary>
internal sealed class Exports : App
{
    public override int PerSecond => 200;

    public override ValueTask DoAsync()
    {
        Use.Of(new byte[256 * 1024]);
        return default;
    }
}

internal sealed class PooledExports : App
{
    public override int PerSecond => 200;

    public override ValueTask DoAsync()
    {
        var buffer = ArrayPool<byte>.Shared.Rent(256 * 1024);
        Use.Of(buffer);
        ArrayPool<byte>.Shared.Return(buffer);
        return default;
    }
}

/// <summary>Many arrays of medium size.</summary>
internal sealed class VideoFrames : App
{
    public override int PerSecond => 4000;

    public override ValueTask DoAsync()
    {
        Use.Of(new byte[16 * 1024]);
        return default;
    }
}

internal sealed class PooledFrames : App
{
    public override int PerSecond => 4000;

    public override ValueTask DoAsync()
    {
        using var lease = TieredArrayPool<byte>.Shared.RentExact(16 * 1024);
        Use.Of(lease.Span);
        return default;
    }
}

/// <summary>Streams that grow.</summary>
internal sealed class Documents : App
{
    public override int PerSecond => 500;

    public override ValueTask DoAsync()
    {
        using var stream = new MemoryStream();
        Content.WriteTo(stream);
        return default;
    }
}

internal sealed class PooledDocuments : App
{
    public override int PerSecond => 500;

    public override ValueTask DoAsync()
    {
        using var stream = StreamPool.Shared.Rent();
        Content.WriteTo(stream);
        return default;
    }
}

/// <summary>Text that is built, written and forgotten.</summary>
internal sealed class Mails : App
{
    public override int PerSecond => 2000;

    public override ValueTask DoAsync()
    {
        Content.WriteTo(new StringBuilder());
        return default;
    }
}

internal sealed class PooledMails : App
{
    private readonly TieredObjectPool<StringBuilder> _texts = new(
        () => new StringBuilder(), text => text.Clear().Capacity <= 64 * 1024);

    public override int PerSecond => 2000;

    public override ValueTask DoAsync()
    {
        using var text = _texts.Rent();
        Content.WriteTo(text.Value);
        return default;
    }

    protected override ValueTask EndAsync()
    {
        _texts.Dispose();
        return default;
    }
}

/// <summary>Objects whose constructor allocates tables.</summary>
internal sealed class Parsers : App
{
    public override int PerSecond => 1000;

    public override ValueTask DoAsync()
    {
        Use.Of(new Parser().Window);
        return default;
    }
}

internal sealed class PooledParsers : App
{
    private readonly TieredObjectPool<Parser> _parsers = new(() => new Parser(), parser => parser.Reset());

    public override int PerSecond => 1000;

    public override ValueTask DoAsync()
    {
        using var parser = _parsers.Rent();
        Use.Of(parser.Value.Window);
        return default;
    }

    protected override ValueTask EndAsync()
    {
        _parsers.Dispose();
        return default;
    }
}

internal sealed class Parser
{
    private readonly int[] _tokens = new int[8 * 1024];

    public byte[] Window { get; } = new byte[32 * 1024];

    public bool Reset()
    {
        _tokens[0] = 0;
        return true;
    }
}

/// <summary>Lists that grow.</summary>
internal sealed class Lists : App
{
    public override int PerSecond => 2000;

    public override ValueTask DoAsync()
    {
        var numbers = new List<long>();
        for (var i = 0; i < 2000; i++)
        {
            numbers.Add(i);
        }

        return default;
    }
}

/// <summary>Arrays of the ArrayPool that are not returned.</summary>
internal sealed class LostArrays : App
{
    public override int PerSecond => 2000;

    public override ValueTask DoAsync()
    {
        Use.Of(ArrayPool<byte>.Shared.Rent(16 * 1024));
        return default;
    }
}

internal sealed class SmallObjects : App
{
    private object? _last;

    public override int PerSecond => 1000;

    public override ValueTask DoAsync()
    {
        for (var i = 0; i < 2000; i++)
        {
            Volatile.Write(ref _last, new Point(i, i));
        }

        return default;
    }

    private sealed record Point(long X, long Y);
}

internal sealed class Strings : App
{
    private string? _last;

    public override int PerSecond => 1000;

    public override ValueTask DoAsync()
    {
        for (var i = 0; i < 1000; i++)
        {
            Volatile.Write(ref _last, $"order {i}");
        }

        return default;
    }
}

internal sealed class SmallArrays : App
{
    private int[]? _last;

    public override int PerSecond => 1000;

    public override ValueTask DoAsync()
    {
        for (var i = 0; i < 500; i++)
        {
            Volatile.Write(ref _last, new int[16]);
        }

        return default;
    }
}

/// <summary>Keeps what it allocates: a pool would save nothing.</summary>
internal sealed class FillingCache : App
{
    private const int Most = 4000;

    private readonly List<byte[]> _pages = [];

    public override int PerSecond => 400;

    public override ValueTask DoAsync()
    {
        if (_pages.Count < Most)
        {
            _pages.Add(new byte[96 * 1024]);
        }

        return default;
    }
}

internal sealed class ManyTasks : App
{
    public override int PerSecond => 500;

    public override async ValueTask DoAsync() => await Task.WhenAll(Enumerable.Range(0, 20).Select(number => Task.Run(async () =>
    {
        await Task.Yield();
        return number;
    })));
}

internal sealed class Idle : App
{
    public override int PerSecond => 0;

    public override ValueTask DoAsync() => default;
}

/// <summary>An app whose only pool is closed.</summary>
internal sealed class ClosedPool : App
{
    public ClosedPool() => ResourcePool.Create(
        _ => new ValueTask<object>(new object()), new ResourcePoolOptions { MaxSize = 1 }).Dispose();

    public override int PerSecond => 0;

    public override ValueTask DoAsync() => default;
}
