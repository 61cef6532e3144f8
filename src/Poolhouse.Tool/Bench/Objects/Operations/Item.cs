using System.Runtime.CompilerServices;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>A small object: 80 bytes with its header.</summary>
internal sealed class Item
{
    private Words _words;

    /// <summary>The use of an item. Not inlined, so that the JIT can neither leave out nor put on the stack what it is called
    /// with.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public long Touch() => ++_words[0];

    [InlineArray(8)]
    private struct Words
    {
        private long _first;
    }
}
