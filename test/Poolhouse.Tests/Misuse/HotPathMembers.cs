using System.Reflection;
using System.Reflection.Emit;
using Poolhouse.Buffers;
using Poolhouse.Caching;
using Poolhouse.Caching.Misuse;
using Poolhouse.Kernel.Leases;
using Poolhouse.Streams.Blocks;

namespace Poolhouse.Tests.Misuse;

/// <summary>The rule for memory pools, leases and streams: their hot paths do not read whether paranoid mode is on.</summary>
// A twin as in HotPathCode would have to repeat the lease, its slot, the owner and the stream, and would compare little more than
// these copies. Their hot paths consist of the methods below and of those of arrays: none of them may load a field, or call a
// method, of the paranoid mode. The slow paths decide it.
public sealed class HotPathMembers
{
    private const BindingFlags All =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> _codes = typeof(OpCodes)
        .GetFields(BindingFlags.Static | BindingFlags.Public)
        .Select(static field => (OpCode)field.GetValue(null)!).ToDictionary(static code => code.Value);

    [Theory]
    [InlineData(typeof(TieredMemoryPool<byte>), "Rent")]
    [InlineData(typeof(TieredMemoryPool<byte>), "RentExact")]
    [InlineData(typeof(TieredArrayPool<byte>), "RentExact")]
    [InlineData(typeof(ArrayMemoryOwner<byte>), "Dispose")]
    [InlineData(typeof(BufferLease<byte>), "Dispose")]
    [InlineData(typeof(ArrayCache<byte>), "RentSlot")]
    [InlineData(typeof(ArrayCache<byte>), "Return")]
    [InlineData(typeof(LeaseSlotStore<>), "FindStack")]
    [InlineData(typeof(LeaseSlot<byte[]>), "BeginLease")]
    [InlineData(typeof(Lease<byte[]>), "Dispose")]
    [InlineData(typeof(TieredObjectPool<Leaf>), "Rent")]
    [InlineData(typeof(StreamPool), "Rent")]
    [InlineData(typeof(StreamPool), "Return")]
    [InlineData(typeof(StreamBody), "Begin")]
    [InlineData(typeof(StreamBody), "TryEnd")]
    public void A_hot_path_uses_nothing_of_the_paranoid_mode(Type type, string name)
    {
        var methods = type.GetMethods(All).Where(method => IsNamed(method, name)).ToList();

        Assert.NotEmpty(methods);
        Assert.All(methods, static method => Assert.DoesNotContain(MembersUsedBy(method), IsOfParanoidMode));
    }

    /// <summary>The slow paths do use it: otherwise, the test above would find nothing anywhere.</summary>
    [Theory]
    [InlineData(typeof(LeasableStore<byte[]>), "TakeSlow")]
    [InlineData(typeof(LeasableStore<byte[]>), "PutSlow")]
    [InlineData(typeof(ArrayCache<byte>), "TryClear")]
    public void A_slow_path_uses_the_paranoid_mode(Type type, string name) => Assert.Contains(
        type.GetMethods(All).Where(method => IsNamed(method, name)).SelectMany(MembersUsedBy), IsOfParanoidMode);

    // An explicit implementation has the name of its interface before its own.
    private static bool IsNamed(MethodInfo method, string name) =>
        string.Equals(method.Name.Split('.')[^1], name, StringComparison.Ordinal);

    private static bool IsOfParanoidMode(MemberInfo member) =>
        IsOfParanoidMode(member.DeclaringType) || (member is FieldInfo field && IsOfParanoidMode(field.FieldType))
            || (member is MethodInfo method && IsOfParanoidMode(method.ReturnType));

    private static bool IsOfParanoidMode(Type? type) =>
        string.Equals(type?.Namespace, typeof(ParanoidSetting).Namespace, StringComparison.Ordinal);

    /// <summary>The fields and methods that the instructions of a method name.</summary>
    private static List<MemberInfo> MembersUsedBy(MethodInfo method)
    {
        var members = new List<MemberInfo>();
        var instructions = method.GetMethodBody()!.GetILAsByteArray()!;
        for (var at = 0; at < instructions.Length;)
        {
            var first = instructions[at++];
            var code = _codes[first == 0xFE ? (short)((0xFE << 8) | instructions[at++]) : first];
            if (code.OperandType is OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok)
            {
                members.Add(
                    method.Module.ResolveMember(
                        BitConverter.ToInt32(instructions, at),
                        method.DeclaringType!.GetGenericArguments(),
                        method.GetGenericArguments())!);
            }

            at += code.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + (4 * BitConverter.ToInt32(instructions, at)),
                _ => 4,
            };
        }

        return members;
    }
}
