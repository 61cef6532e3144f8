using System.Reflection;
using Poolhouse.Tests.Streams.Model;

namespace Poolhouse.Tests.Streams;

/// <summary>Every member of a disposed stream, found by reflection so that none is forgotten.</summary>
public sealed class AfterDisposal
{
    [Fact]
    public void The_shared_pool_survives_a_container_that_disposes_it()
    {
        StreamPool.Shared.Dispose();
        using var stream = StreamPool.Shared.Rent();
        stream.WriteByte(1);

        Assert.Equal([1], stream.ToArray());
    }

    private const BindingFlags Members = BindingFlags.Instance | BindingFlags.Public;

    /// <summary>Members of MemoryStream that still work after disposal, because its content has no other user.</summary>
    private static readonly string[] _showsContent =
        [nameof(MemoryStream.ToArray), nameof(MemoryStream.GetBuffer), nameof(MemoryStream.TryGetBuffer)];

    /// <summary>Reflection cannot pass a span, nor get one: these are called by name below.</summary>
    private static readonly Dictionary<string, Action<PooledStream>> _withSpans = new()
    {
        ["Int32 Read(System.Span`1[System.Byte])"] = stream => _ = stream.Read(new Span<byte>(new byte[1])),
        ["Void Write(System.ReadOnlySpan`1[System.Byte])"] = stream => stream.Write(new ReadOnlySpan<byte>(new byte[1])),
        ["Void ReadExactly(System.Span`1[System.Byte])"] = stream => stream.ReadExactly(new Span<byte>(new byte[1])),
        ["Int32 ReadAtLeast(System.Span`1[System.Byte], Int32, Boolean)"] =
            stream => _ = stream.ReadAtLeast(new Span<byte>(new byte[1]), 1),
        ["Int32 ReadAt(Int64, System.Span`1[System.Byte])"] = stream => stream.ReadAt(0, new Span<byte>(new byte[1])),
        ["System.Span`1[System.Byte] GetSpan(Int32)"] = stream => stream.GetSpan(),
    };

    public static TheoryData<string> PlainMembers =>
        [.. typeof(PooledStream).GetMethods(Members).Where(IsTheStreams).Where(method => !HasSpan(method)).Select(Name)];

    [Theory]
    [MemberData(nameof(PlainMembers))]
    public async Task Each_member_behaves_as_on_a_MemoryStream_or_throws_ObjectDisposedException(string member)
    {
        var method = typeof(PooledStream).GetMethods(Members).Single(method => IsNamed(method, member));
        var twin = _showsContent.Contains(method.Name)
            ? null
            : typeof(MemoryStream).GetMethods(Members).FirstOrDefault(other => IsNamed(other, CounterpartOf(member)));
        var expected = twin is null ? nameof(ObjectDisposedException) : await CallAsync(new MemoryStream(), twin);

        Assert.Equal(expected, await CallAsync(StreamPools.Make().RentWith(StreamPools.Bytes(40)), method));
    }

    [Fact]
    public void Every_member_with_a_span_is_covered() => Assert.Equal(
        _withSpans.Keys.Order(StringComparer.Ordinal),
        typeof(PooledStream).GetMethods(Members).Where(IsTheStreams).Where(HasSpan).Select(Name).Order(StringComparer.Ordinal));

    [Fact]
    public void Each_member_with_a_span_throws_ObjectDisposedException() => Assert.All(_withSpans.Values, call =>
    {
        var stream = StreamPools.Make().RentWith(StreamPools.Bytes(40));
        stream.Dispose();

        Assert.Throws<ObjectDisposedException>(() => call(stream));
    });

    [Fact]
    public async Task Repeated_disposal_by_any_method_is_harmless()
    {
        using var arrays = Buffers.Pools.Make<byte>();
        var stream = StreamPools.Make(arrays).RentWith(StreamPools.Bytes(100));
        stream.Dispose();
        stream.Dispose();
        stream.Close();
        await stream.DisposeAsync();

        var statistics = Buffers.Pools.AssertBalanced(arrays);
        Assert.Equal((0, 0, statistics.Rented), (statistics.Leased, statistics.DoubleReturns, statistics.Returned));
    }

    private static async Task<string> CallAsync(Stream stream, MethodInfo method)
    {
        await stream.DisposeAsync();
        var arguments = method.GetParameters().Select(parameter => Argument(parameter.ParameterType)).ToArray();
        var error = await Record.ExceptionAsync(async () =>
        {
            try
            {
                await AwaitedAsync(method.Invoke(stream, arguments));
            }
            catch (TargetInvocationException wrapper)
            {
                throw wrapper.InnerException!;
            }
        });
        return error?.GetType().Name ?? "nothing";
    }

    private static Task AwaitedAsync(object? result) => result switch
    {
        Task task => task,
        ValueTask task => task.AsTask(),
        ValueTask<int> task => task.AsTask(),
        _ => Task.CompletedTask,
    };

    private static object? Argument(Type type) => type switch
    {
        _ when type == typeof(byte[]) => new byte[1],
        _ when type == typeof(Stream) => new MemoryStream(),
        _ when type == typeof(Memory<byte>) => new byte[1].AsMemory(),
        _ when type == typeof(ReadOnlyMemory<byte>) => new ReadOnlyMemory<byte>(new byte[1]),
        _ when type == typeof(IAsyncResult) => Task.FromResult(1),
        _ when type == typeof(int) => 1,
        _ when type.IsValueType => Activator.CreateInstance(type),
        _ => null,
    };

    // A capacity beyond 2 GiB needs a long here, and an int there.
    private static string CounterpartOf(string member) => member switch
    {
        "Int64 get_Capacity()" => "Int32 get_Capacity()",
        "Void set_Capacity(Int64)" => "Void set_Capacity(Int32)",
        _ => member,
    };

    private static bool IsTheStreams(MethodInfo method) =>
        method.DeclaringType != typeof(object) && method.DeclaringType != typeof(MarshalByRefObject)
        && !string.Equals(method.Name, nameof(ToString), StringComparison.Ordinal);

    private static bool HasSpan(MethodInfo method) =>
        method.ReturnType.IsByRefLike || method.GetParameters().Any(parameter => parameter.ParameterType.IsByRefLike);

    private static bool IsNamed(MethodInfo method, string name) => string.Equals(Name(method), name, StringComparison.Ordinal);

    private static string Name(MethodInfo method) => method.ToString()!;
}
