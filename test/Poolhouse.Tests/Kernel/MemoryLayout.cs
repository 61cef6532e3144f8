using System.Reflection;
using System.Runtime.CompilerServices;
using Poolhouse.Caching;
using Poolhouse.Caching.Threads;
using Poolhouse.Kernel;

namespace Poolhouse.Tests.Kernel;

/// <summary>False sharing depends on the memory layout, so the test checks the layout.</summary>
public sealed class MemoryLayout
{
    [Theory]
    [InlineData(typeof(ThreadStack))]
    [InlineData(typeof(Depot))]
    [InlineData(typeof(RetentionBudget))]
    public void Mutable_fields_are_two_cache_lines_away_from_the_preceding_object(Type type)
    {
        var padding = typeof(CacheLinePadding).GetFields(BindingFlags.Instance | BindingFlags.NonPublic).Single();

        Assert.True(type.IsSubclassOf(typeof(CacheLinePadding)));
        Assert.Equal(112, SizeOf(padding.FieldType));
        var own =
            type.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly);
        Assert.All(own, field => Assert.InRange(OffsetOf(field), OffsetOf(padding) + 112, int.MaxValue));
    }

    private static int SizeOf(Type type) =>
        (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!.MakeGenericMethod(type).Invoke(null, null)!;

    // The runtime keeps a field's offset in the low 27 bits of the second word of its descriptor.
    private static unsafe int OffsetOf(FieldInfo field) => (int)(*(uint*)(field.FieldHandle.Value + 12) & 0x7FFFFFF);
}
