using System.Buffers;
using System.Diagnostics;
using System.Reflection;
using System.Text.RegularExpressions;
using Poolhouse.Testing;

namespace Poolhouse.Repository.Tests.PublicApi;

/// <summary>
/// Every display and every view of a type is evaluated for an instance as a debugger does it: expression by expression, and
/// member by member, while the instance is in use and after its end.
/// </summary>
public sealed partial class DebuggerDisplays
{
    // The instance, its text, and what ends it.
    private static readonly Dictionary<Type, Func<(object Instance, string Text, Action End)>> _others = new()
    {
        [typeof(Lease<>)] = static () =>
        {
            var lease = Things().Rent();
            return (lease, "Lease of pool 'things': item 1 for 0 s", lease.Dispose);
        },
        [typeof(BufferLease<>)] = static () =>
        {
            var lease = Bytes().RentExact(10);
            return (lease, "Lease of 10 elements of pool 'bytes': item 1 for 0 s", lease.Dispose);
        },
        [typeof(PooledStream)] = static () =>
        {
            var stream = Streams().Rent("tag");
            stream.Write(new byte[5]);
            return (stream, "PooledStream 'tag' at 5 of 5 bytes, of pool 'streams': item 1 for 0 s", stream.Dispose);
        },
        [typeof(PooledSequence)] = static () =>
        {
            using var stream = Streams().Rent();
            stream.Write(new byte[7]);
            var sequence = stream.DetachBuffer();
            return (sequence, "7 bytes", sequence.Dispose);
        },
        [typeof(SequenceStream)] = static () =>
        {
            var stream = new SequenceStream(new ReadOnlySequence<byte>(new byte[9]));
            stream.ReadByte();
            return (stream, "1/9", stream.Dispose);
        },
        [typeof(PooledBufferWriter<>)] = static () =>
        {
            var writer = new PooledBufferWriter<byte>(pool: Bytes());
            writer.Write(new byte[3]);
            return (writer, "3 written", writer.Dispose);
        },
        [typeof(LeaseSnapshot)] = static () =>
        {
            var pool = Things();
            var lease = pool.Rent();
            return (Assert.Single(pool.GetLeases(1)), "item 1 for 0 s", lease.Dispose);
        },
    };

    public static TheoryData<Type> PoolKinds => DebuggerViews.Kinds;

    public static TheoryData<Type> OtherKinds => [.. _others.Keys];

    [Fact]
    public void Every_type_with_a_display_or_a_view_is_covered() => Assert.Equal(
        PublicSurface.Packages.SelectMany(row => Assembly.Load(row.Data).GetTypes())
            .Where(static type => type.IsDefined(typeof(DebuggerDisplayAttribute), inherit: false)
                || type.IsDefined(typeof(DebuggerTypeProxyAttribute), inherit: false))
            .Select(static type => type.FullName!).Order(StringComparer.Ordinal),
        DebuggerViews.Pools.Keys.Concat(_others.Keys).Select(static type => type.FullName!).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(PoolKinds))]
    public void The_display_of_a_pool_is_the_text_of_the_pool(Type kind)
    {
        var pool = DebuggerViews.Pools[kind]();

        Assert.Equal(pool.ToString(), Display(pool));
        AssertViewed(pool);
        ((IDisposable)pool).Dispose();
        Assert.Equal(pool.ToString(), Display(pool));
        AssertViewed(pool);
    }

    [Theory]
    [MemberData(nameof(OtherKinds))]
    public void The_display_of_anything_else_shows_its_state(Type kind)
    {
        var (instance, text, end) = _others[kind]();

        Assert.StartsWith(text, Display(instance), StringComparison.Ordinal);
        AssertViewed(instance);
        end();
        Assert.NotEmpty(Display(instance));
        AssertViewed(instance);
    }

    [Theory]
    [InlineData("{Missing}")]
    [InlineData("{Text.Missing()}")]
    [InlineData("{Text + Text}")]
    [InlineData("{Throws}")]
    public void An_expression_that_a_debugger_cannot_evaluate_is_found(string display) =>
        Assert.ThrowsAny<Exception>(() => Evaluate(display, new Sample()));

    [Fact]
    public void An_expression_reads_fields_properties_and_methods_of_any_visibility() => Assert.Equal(
        "a 4 of \"four\"", Evaluate("a {Text.Length} of {_text.ToString()}", new Sample()));

    private static string Display(object instance) => Evaluate(
        Assert.IsType<DebuggerDisplayAttribute>(
            instance.GetType().GetCustomAttribute<DebuggerDisplayAttribute>(inherit: false)).Value, instance);

    // {expression} or {expression,nq}; strings are shown in quotes unless nq (no quotes) is given.
    private static string Evaluate(string display, object instance) => Expressions().Replace(display, match =>
    {
        object? value = instance;
        foreach (var member in match.Groups["expression"].Value.Split('.'))
        {
            value = Read(value ?? throw new InvalidOperationException($"null before '{member}' in {display}."), member);
        }

        var format = match.Groups["format"].Value;
        Assert.True(format is "" or "nq", $"The format '{format}' is unknown.");
        return value is string text && format.Length == 0 ? $"\"{text}\"" : value?.ToString() ?? "null";
    });

    private static object? Read(object value, string member)
    {
        const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        for (var type = value.GetType(); type is not null; type = type.BaseType)
        {
            if (member.EndsWith("()", StringComparison.Ordinal))
            {
                if (type.GetMethod(member[..^2], Any, []) is { } method)
                {
                    return method.Invoke(value, null);
                }
            }
            else if (type.GetProperty(member, Any) is { } property)
            {
                return property.GetValue(value);
            }
            else if (type.GetField(member, Any) is { } field)
            {
                return field.GetValue(value);
            }
        }

        throw new InvalidOperationException($"{value.GetType()} has no member '{member}'.");
    }

    // As a debugger does it: the view is created with the instance, and all of its members are read.
    private static void AssertViewed(object instance)
    {
        if (instance.GetType().GetCustomAttribute<DebuggerTypeProxyAttribute>(inherit: false) is not { } attribute)
        {
            return;
        }

        var type = Type.GetType(attribute.ProxyTypeName, throwOnError: true)!;
        var view = Activator.CreateInstance(
            type.IsGenericTypeDefinition ? type.MakeGenericType(instance.GetType().GetGenericArguments()) : type, instance)!;
        var members = view.GetType().GetProperties();
        Assert.NotEmpty(members);
        Assert.All(members, member => member.GetValue(view));
    }

    private static TieredObjectPool<object> Things() => new(
        static () => new object(),
        options: new ObjectPoolOptions
        {
            Name = "things",
            Paranoid = ParanoidMode.Throw,
            TimeProvider = new ManualTimeProvider(),
        });

    private static TieredArrayPool<byte> Bytes() => new(
        new ArrayPoolOptions { Name = "bytes", Paranoid = ParanoidMode.Throw, TimeProvider = new ManualTimeProvider() });

    private static StreamPool Streams() => new(
        new StreamPoolOptions { Name = "streams", Paranoid = ParanoidMode.Throw, TimeProvider = new ManualTimeProvider() });

    [GeneratedRegex(@"\{(?<expression>[^{},]+)(,(?<format>[^{}]*))?\}", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Expressions();

    private sealed class Sample
    {
        private readonly string _text = "four";

        internal string Text => _text;

        internal string Throws => throw new InvalidOperationException(_text);
    }
}
