using System.Runtime.InteropServices;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.HelloPools;

// snippet: struct-policy
[StructLayout(LayoutKind.Auto)]
internal readonly struct ListPolicy : IPooledObjectPolicy<List<int>>
{
    private const int LongestKept = 1024;

    public List<int> Create() => [];

    public bool Return(List<int> obj)
    {
        obj.Clear();
        return obj.Capacity <= LongestKept;
    }
}
// end snippet
