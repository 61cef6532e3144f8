using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Builders of any capacity are kept: the files are large, and a pool that dropped theirs would pool nothing.</summary>
internal sealed class BuilderPolicy : IPooledObjectPolicy<StringBuilder>
{
    public StringBuilder Create() => new();

    public bool Return(StringBuilder obj)
    {
        obj.Clear();
        return true;
    }
}
