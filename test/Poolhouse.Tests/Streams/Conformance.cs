using System.Buffers;

namespace Poolhouse.Tests.Streams;

/// <summary>
/// What the runtime's own conformance tests of streams try: every overload with good and bad arguments, with a cancelled token,
/// at the start, in the middle, at and past the end, and after disposal. Outcome, exception, position and length are those of a
/// <see cref="MemoryStream"/>.
/// </summary>
public sealed class Conformance
{
    private const int Length = 5_000;

    private static readonly CancellationToken _cancelled = new(canceled: true);

    private static readonly (string Name, Action<Stream> Prepare)[] _states =
    [
        ("at the start", _ => { }),
        ("in the middle", stream => stream.Position = Length / 2),
        ("at the end", stream => stream.Position = Length),
        ("past the end", stream => stream.Position = Length + 10),
        ("disposed", stream => stream.Dispose()),
        ("disposed twice", stream =>
        {
            stream.Close();
            stream.Dispose();
        }),
    ];

#pragma warning disable CA1835 // The older calls are compared, too.
    private static readonly Dictionary<string, Func<Stream, Task<object?>>> _calls = new(StringComparer.Ordinal)
    {
        ["CanRead"] = Get(stream => stream.CanRead),
        ["CanSeek"] = Get(stream => stream.CanSeek),
        ["CanWrite"] = Get(stream => stream.CanWrite),
        ["CanTimeout"] = Get(stream => stream.CanTimeout),
        ["ReadTimeout"] = Get(stream => stream.ReadTimeout),
        ["WriteTimeout"] = Get(stream => stream.WriteTimeout),
        ["set ReadTimeout"] = Do(stream => stream.ReadTimeout = 1),
        ["Length"] = Get(stream => stream.Length),
        ["Position"] = Get(stream => stream.Position),
        ["set Position"] = Do(stream => stream.Position = 7),
        ["set Position past the end"] = Do(stream => stream.Position = Length + 100),
        ["set Position -1"] = Do(stream => stream.Position = -1),
        ["Seek begin"] = Get(stream => stream.Seek(3, SeekOrigin.Begin)),
        ["Seek current"] = Get(stream => stream.Seek(3, SeekOrigin.Current)),
        ["Seek end"] = Get(stream => stream.Seek(-3, SeekOrigin.End)),
        ["Seek past the end"] = Get(stream => stream.Seek(30, SeekOrigin.End)),
        ["Seek before the start"] = Get(stream => stream.Seek(-1, SeekOrigin.Begin)),
        ["Seek before the start from here"] = Get(stream => stream.Seek(-2 * Length, SeekOrigin.Current)),
        ["Seek nowhere"] = Get(stream => stream.Seek(0, (SeekOrigin)17)),
        ["Read"] = Read(buffer => stream => Task.FromResult(stream.Read(buffer, 10, 80))),
        ["Read nothing"] = Read(buffer => stream => Task.FromResult(stream.Read(buffer, 100, 0))),
        ["Read null"] = Get(stream => stream.Read(null!, 0, 0)),
        ["Read offset -1"] = Get(stream => stream.Read(new byte[10], -1, 1)),
        ["Read count -1"] = Get(stream => stream.Read(new byte[10], 0, -1)),
        ["Read too much"] = Get(stream => stream.Read(new byte[10], 5, 6)),
        ["Read span"] = Read(buffer => stream => Task.FromResult(stream.Read(buffer.AsSpan(10, 80)))),
        ["Read empty span"] = Get(stream => stream.Read(Span<byte>.Empty)),
        ["ReadByte"] = Get(stream => stream.ReadByte()),
        ["ReadAtLeast"] = Get(stream => stream.ReadAtLeast(new byte[100], 50)),
        ["ReadExactly"] = Do(stream => stream.ReadExactly(new byte[100])),
        ["ReadAsync"] = Read(buffer => stream => stream.ReadAsync(buffer, 10, 80)),
        ["ReadAsync null"] = GetAsync(stream => stream.ReadAsync(null!, 0, 0)),
        ["ReadAsync offset -1"] = GetAsync(stream => stream.ReadAsync(new byte[10], -1, 1)),
        ["ReadAsync count -1"] = GetAsync(stream => stream.ReadAsync(new byte[10], 0, -1)),
        ["ReadAsync too much"] = GetAsync(stream => stream.ReadAsync(new byte[10], 5, 6)),
        ["ReadAsync too much, cancelled"] = GetAsync(stream => stream.ReadAsync(new byte[10], 5, 6, _cancelled)),
        ["ReadAsync cancelled"] = GetAsync(stream => stream.ReadAsync(new byte[10], 0, 10, _cancelled)),
        ["ReadAsync memory"] = Read(buffer => stream => stream.ReadAsync(buffer.AsMemory(10, 80)).AsTask()),
        ["ReadAsync empty memory"] = GetAsync(stream => stream.ReadAsync(Memory<byte>.Empty).AsTask()),
        ["ReadAsync memory, cancelled"] = GetAsync(stream => stream.ReadAsync(new byte[10].AsMemory(), _cancelled).AsTask()),
        ["BeginRead"] = Read(buffer => stream => Task.FromResult(stream.EndRead(stream.BeginRead(buffer, 10, 80, null, null)))),
        ["BeginRead null"] = Get(stream => stream.EndRead(stream.BeginRead(null!, 0, 0, null, null))),
        ["BeginRead offset -1"] = Get(stream => stream.EndRead(stream.BeginRead(new byte[10], -1, 1, null, null))),
        ["BeginRead too much"] = Get(stream => stream.EndRead(stream.BeginRead(new byte[10], 5, 6, null, null))),
        ["EndRead null"] = Get(stream => stream.EndRead(null!)),
        ["EndRead of something else"] = Get(stream => stream.EndRead(Task.CompletedTask)),
        ["Write"] = Do(stream => stream.Write(new byte[100], 10, 80)),
        ["Write nothing"] = Do(stream => stream.Write(new byte[100], 100, 0)),
        ["Write null"] = Do(stream => stream.Write(null!, 0, 0)),
        ["Write offset -1"] = Do(stream => stream.Write(new byte[10], -1, 1)),
        ["Write count -1"] = Do(stream => stream.Write(new byte[10], 0, -1)),
        ["Write too much"] = Do(stream => stream.Write(new byte[10], 5, 6)),
        ["Write span"] = Do(stream => stream.Write(new byte[100].AsSpan())),
        ["Write empty span"] = Do(stream => stream.Write(ReadOnlySpan<byte>.Empty)),
        ["WriteByte"] = Do(stream => stream.WriteByte(1)),
        ["WriteAsync"] = DoAsync(stream => stream.WriteAsync(new byte[100], 10, 80)),
        ["WriteAsync null"] = DoAsync(stream => stream.WriteAsync(null!, 0, 0)),
        ["WriteAsync offset -1"] = DoAsync(stream => stream.WriteAsync(new byte[10], -1, 1)),
        ["WriteAsync too much, cancelled"] = DoAsync(stream => stream.WriteAsync(new byte[10], 5, 6, _cancelled)),
        ["WriteAsync cancelled"] = DoAsync(stream => stream.WriteAsync(new byte[10], 0, 10, _cancelled)),
        ["WriteAsync memory"] = DoAsync(stream => stream.WriteAsync(new byte[10].AsMemory()).AsTask()),
        ["WriteAsync empty memory"] = DoAsync(stream => stream.WriteAsync(ReadOnlyMemory<byte>.Empty).AsTask()),
        ["WriteAsync memory, cancelled"] = DoAsync(stream => stream.WriteAsync(new byte[10].AsMemory(), _cancelled).AsTask()),
        ["BeginWrite"] = Do(stream => stream.EndWrite(stream.BeginWrite(new byte[100], 10, 80, null, null))),
        ["BeginWrite null"] = Do(stream => stream.EndWrite(stream.BeginWrite(null!, 0, 0, null, null))),
        ["BeginWrite too much"] = Do(stream => stream.EndWrite(stream.BeginWrite(new byte[10], 5, 6, null, null))),
        ["EndWrite null"] = Do(stream => stream.EndWrite(null!)),
        ["SetLength"] = Do(stream => stream.SetLength(Length - 100)),
        ["SetLength longer"] = Do(stream => stream.SetLength(Length + 100)),
        ["SetLength -1"] = Do(stream => stream.SetLength(-1)),
        ["Flush"] = Do(stream => stream.Flush()),
        ["FlushAsync"] = DoAsync(stream => stream.FlushAsync()),
        ["FlushAsync cancelled"] = DoAsync(stream => stream.FlushAsync(_cancelled)),
        ["CopyTo"] = Copy((stream, target) => RunAsync(() => stream.CopyTo(target))),
        ["CopyTo by 7"] = Copy((stream, target) => RunAsync(() => stream.CopyTo(target, 7))),
        ["CopyTo null"] = Do(stream => stream.CopyTo(null!)),
        ["CopyTo by 0"] = Copy((stream, target) => RunAsync(() => stream.CopyTo(target, 0))),
        ["CopyTo something disposed"] = Do(stream => stream.CopyTo(Disposed(), 10)),
        ["CopyTo something read-only"] = Do(stream => stream.CopyTo(new MemoryStream([], writable: false), 10)),
        ["CopyToAsync"] = Copy((stream, target) => stream.CopyToAsync(target)),
        ["CopyToAsync by 7"] = Copy((stream, target) => stream.CopyToAsync(target, 7)),
        ["CopyToAsync null"] = DoAsync(stream => stream.CopyToAsync(null!)),
        ["CopyToAsync by -1"] = Copy((stream, target) => stream.CopyToAsync(target, -1)),
        ["CopyToAsync something disposed"] = DoAsync(stream => stream.CopyToAsync(Disposed(), 10)),
        ["CopyToAsync something read-only"] = DoAsync(stream => stream.CopyToAsync(new MemoryStream([], writable: false), 10)),
        ["CopyToAsync cancelled"] = Copy((stream, target) => stream.CopyToAsync(target, 7, _cancelled)),
        ["Dispose"] = Do(stream => stream.Dispose()),
        ["DisposeAsync"] = DoAsync(stream => stream.DisposeAsync().AsTask()),
        ["Close"] = Do(stream => stream.Close()),
    };
#pragma warning restore CA1835

    public static TheoryData<string> Calls => [.. _calls.Keys];

    [Theory]
    [MemberData(nameof(Calls))]
    public Task A_stream_conforms_to_MemoryStream(string call) =>
        CompareAsync(
            call, () => With(new MemoryStream()), () => With(StreamPools.Make().Rent()),
            () => With(StreamPools.Make().GetStream("tag", Length)));

    [Theory]
    [MemberData(nameof(Calls))]
    public Task A_read_only_stream_conforms_to_a_read_only_MemoryStream(string call) => CompareAsync(
        call,
        () => new MemoryStream(StreamPools.Bytes(Length), writable: false),
        () => new SequenceStream(new ReadOnlySequence<byte>(StreamPools.Bytes(Length))),
        () => StreamPools.Make().RentWith(StreamPools.Bytes(Length)).AsReadOnly());

    private static async Task CompareAsync(string call, Func<Stream> expected, params Func<Stream>[] subjects)
    {
        foreach (var (state, prepare) in _states)
        {
            var outcome = await OutcomeAsync(expected());
            foreach (var subject in subjects)
            {
                Assert.Equal($"{state}: {outcome}", $"{state}: {await OutcomeAsync(subject())}");
            }

            async Task<string> OutcomeAsync(Stream stream)
            {
                prepare(stream);
                string result;
                try
                {
                    result = $"{await _calls[call](stream)}";
                }
                catch (Exception e)
                {
                    result = $"{e.GetType().Name} {(e as ArgumentException)?.ParamName}";
                }

                return stream.CanSeek ? $"{result}; at {stream.Position} of {stream.Length}" : $"{result}; ended";
            }
        }
    }

    private static Stream With(Stream stream)
    {
        stream.Write(StreamPools.Bytes(Length));
        stream.Position = 0;
        return stream;
    }

    private static MemoryStream Disposed()
    {
        var stream = new MemoryStream();
        stream.Dispose();
        return stream;
    }

    private static Func<Stream, Task<object?>> Get<T>(Func<Stream, T> get) => stream => Task.FromResult<object?>(get(stream));

    private static Func<Stream, Task<object?>> Do(Action<Stream> act) => stream =>
    {
        act(stream);
        return Task.FromResult<object?>(null);
    };

    private static Func<Stream, Task<object?>> GetAsync<T>(Func<Stream, Task<T>> get) => async stream => await get(stream);

    private static Func<Stream, Task<object?>> DoAsync(Func<Stream, Task> act) => async stream =>
    {
        await act(stream);
        return null;
    };

    /// <summary>How many bytes were read, and where they are in the buffer.</summary>
    private static Func<Stream, Task<object?>> Read(Func<byte[], Func<Stream, Task<int>>> read) => async stream =>
    {
        var buffer = new byte[100];
        return $"{await read(buffer)(stream)}: {Convert.ToHexString(buffer)}";
    };

    /// <summary>What was copied.</summary>
    private static Func<Stream, Task<object?>> Copy(Func<Stream, Stream, Task> copy) => async stream =>
    {
        var target = new MemoryStream();
        await copy(stream, target);
        return Convert.ToHexString(target.ToArray());
    };

    private static Task RunAsync(Action act)
    {
        act();
        return Task.CompletedTask;
    }
}
