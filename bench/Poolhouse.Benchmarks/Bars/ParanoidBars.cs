using System.Buffers;
using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What paranoid mode costs at most, beside the pools of .NET, which check nothing.</summary>
internal static class ParanoidBars
{
    // In full: every rent is checked and recorded. Sampled, as in a staging environment: one of a hundred.
    private const double Limit = 20;

    public static IReadOnlyList<Bar> All { get; } =
    [
        .. Both<ParanoidThing, DefaultPair>("object", "DefaultObjectPool"),
        .. Both<ParanoidBuilder, DefaultBuilder>("StringBuilder", "DefaultObjectPool"),
        .. Both<ParanoidArray<Bytes100>, SharedArrayOf<Bytes100>>("array 100 B", "ArrayPool.Shared"),
        .. Both<ParanoidArray<KiB1>, SharedArrayOf<KiB1>>("array 1 KiB", "ArrayPool.Shared"),
        .. Both<ParanoidArray<KiB4>, SharedArrayOf<KiB4>>("array 4 KiB", "ArrayPool.Shared"),

        // Filled and checked are up to 64 KiB: that is the time of a pair, and there is no promise.
        .. Both<ParanoidArray<KiB64>, SharedArrayOf<KiB64>>("array 64 KiB", "ArrayPool.Shared", null),
        .. Both<ParanoidStream<KiB4>, MemoryStreams<KiB4>>("stream 4 KiB", "MemoryStream"),
    ];

    // Without a limit for bytes: recording allocates.
    private static IReadOnlyList<Bar> Both<TOurs, TRival>(string name, string rival, double? limit = Limit)
        where TOurs : struct, IParanoidOperation
        where TRival : struct, IOperation =>
    [
        Bar.Of<InFull<TOurs>, TRival>($"paranoid {name}", rival, limit) with { BytesOfOurs = null },
        Bar.Of<Sampled<TOurs>, TRival>($"paranoid {name}, 1 of 100", rival, limit) with { BytesOfOurs = null },
    ];

    /// <summary>One kind of use of a pool that is sampled or not.</summary>
    internal interface IParanoidOperation
    {
        static abstract void Run(int pairs, bool isSampled);
    }

    private readonly struct InFull<TOperation> : IOperation
        where TOperation : struct, IParanoidOperation
    {
        public static void Run(int pairs) => TOperation.Run(pairs, isSampled: false);
    }

    private readonly struct Sampled<TOperation> : IOperation
        where TOperation : struct, IParanoidOperation
    {
        public static void Run(int pairs) => TOperation.Run(pairs, isSampled: true);
    }

    private readonly struct ParanoidThing : IParanoidOperation
    {
        public static void Run(int pairs, bool isSampled)
        {
            var pool = isSampled ? ParanoidPools.SampledThings : ParanoidPools.Things;
            for (var i = 0; i < pairs; i++)
            {
                var thing = pool.Get();
                thing.Uses++;
                pool.Return(thing);
            }
        }
    }

    private readonly struct ParanoidBuilder : IParanoidOperation
    {
        public static void Run(int pairs, bool isSampled)
        {
            var pool = isSampled ? ParanoidPools.SampledBuilders : ParanoidPools.Builders;
            for (var i = 0; i < pairs; i++)
            {
                var builder = pool.Get();
                builder.Append('a');
                pool.Return(builder);
            }
        }
    }

    private readonly struct DefaultBuilder : IOperation
    {
        public static void Run(int pairs)
        {
            var pool = ParanoidPools.DefaultBuilders;
            for (var i = 0; i < pairs; i++)
            {
                var builder = pool.Get();
                builder.Append('a');
                pool.Return(builder);
            }
        }
    }

    private readonly struct ParanoidArray<TLength> : IParanoidOperation
        where TLength : struct, IStreamLength
    {
        public static void Run(int pairs, bool isSampled)
        {
            var pool = isSampled ? ParanoidPools.SampledArrays : ParanoidPools.Arrays;
            for (var i = 0; i < pairs; i++)
            {
                var array = pool.Rent(TLength.Value);
                array[0]++;
                pool.Return(array);
            }
        }
    }

    private readonly struct SharedArrayOf<TLength> : IOperation
        where TLength : struct, IStreamLength
    {
        public static void Run(int pairs)
        {
            for (var i = 0; i < pairs; i++)
            {
                var array = ArrayPool<byte>.Shared.Rent(TLength.Value);
                array[0]++;
                ArrayPool<byte>.Shared.Return(array);
            }
        }
    }

    private readonly struct ParanoidStream<TLength> : IParanoidOperation
        where TLength : struct, IStreamLength
    {
        public static void Run(int pairs, bool isSampled)
        {
            var pool = isSampled ? ParanoidPools.SampledStreams : ParanoidPools.Streams;
            for (var i = 0; i < pairs; i++)
            {
                using var stream = pool.Rent();
                StreamUse.WriteAndRead(stream, TLength.Value);
            }
        }
    }

    private static class ParanoidPools
    {
        private const int OneOf = 100;

        public static readonly TieredObjectPool<Thing> Things = Create<Thing>(1);
        public static readonly TieredObjectPool<Thing> SampledThings = Create<Thing>(OneOf);
        public static readonly TieredObjectPool<StringBuilder> Builders = CreateBuilders(1);
        public static readonly TieredObjectPool<StringBuilder> SampledBuilders = CreateBuilders(OneOf);
        public static readonly DefaultObjectPool<StringBuilder> DefaultBuilders = new(new StringBuilderPooledObjectPolicy());
        public static readonly TieredArrayPool<byte> Arrays = CreateArrays(1);
        public static readonly TieredArrayPool<byte> SampledArrays = CreateArrays(OneOf);
        public static readonly StreamPool Streams = CreateStreams(1);
        public static readonly StreamPool SampledStreams = CreateStreams(OneOf);

        private static TieredObjectPool<T> Create<T>(int sampling)
            where T : class, new() => new(
                new DefaultPooledObjectPolicy<T>(),
                new ObjectPoolOptions { Paranoid = ParanoidMode.Report, ParanoidSampling = sampling });

        private static TieredObjectPool<StringBuilder> CreateBuilders(int sampling) => new(
            new StringBuilderPooledObjectPolicy(),
            new ObjectPoolOptions { Paranoid = ParanoidMode.Report, ParanoidSampling = sampling });

        private static TieredArrayPool<byte> CreateArrays(int sampling) =>
            new(new ArrayPoolOptions { Paranoid = ParanoidMode.Report, ParanoidSampling = sampling });

        private static StreamPool CreateStreams(int sampling) =>
            new(new StreamPoolOptions { Paranoid = ParanoidMode.Report, ParanoidSampling = sampling });
    }
}
