using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Poolhouse.Analyzers.Flow;

namespace Poolhouse.Analyzers;

/// <summary>Identifies the methods that rent, and those that end a rent.</summary>
internal sealed class PoolApis
{
    private readonly INamedTypeSymbol? _arrayPool;
    private readonly INamedTypeSymbol? _memoryPool;
    private readonly INamedTypeSymbol? _objectPool;
    private readonly INamedTypeSymbol? _memoryOwner;
    private readonly INamedTypeSymbol? _lease;
    private readonly INamedTypeSymbol? _bufferLease;
    private readonly INamedTypeSymbol? _pooledStream;
    private readonly INamedTypeSymbol? _pooledSequence;
    private readonly INamedTypeSymbol? _bufferWriter;
    private readonly INamedTypeSymbol? _pool;
    private readonly INamedTypeSymbol? _resourcePolicy;
    private readonly INamedTypeSymbol? _nestedPolicy;
    private readonly INamedTypeSymbol? _valueTask;
    private readonly INamedTypeSymbol? _task;
    private readonly INamedTypeSymbol?[] _returning;
    private readonly AnalyzerConfigOptionsProvider _options;
    private readonly ConcurrentDictionary<SyntaxTree, TreeOptions> _treeOptions = new();

    public PoolApis(Compilation compilation, AnalyzerConfigOptionsProvider options)
    {
        _options = options;
        _lease = compilation.GetTypeByMetadataName("Poolhouse.Lease`1");
        _bufferLease = compilation.GetTypeByMetadataName("Poolhouse.BufferLease`1");
        _pooledStream = compilation.GetTypeByMetadataName("Poolhouse.PooledStream");
        _pooledSequence = compilation.GetTypeByMetadataName("Poolhouse.PooledSequence");
        _bufferWriter = compilation.GetTypeByMetadataName("Poolhouse.PooledBufferWriter`1");
        _pool = compilation.GetTypeByMetadataName("Poolhouse.IPool");
        _resourcePolicy = compilation.GetTypeByMetadataName("Poolhouse.ResourcePolicy`1");
        _nestedPolicy = compilation.GetTypeByMetadataName("Poolhouse.NestedPolicy`2");
        _valueTask = compilation.GetTypeByMetadataName("System.Threading.Tasks.ValueTask`1");
        _task = compilation.GetTypeByMetadataName("System.Threading.Tasks.Task`1");
        LeasesOnly = options.GlobalOptions.TryGetValue("build_property.PoolhouseAnalyzers", out var rules)
            && string.Equals(rules, "leases", StringComparison.OrdinalIgnoreCase);
        var arrayPool = compilation.GetTypeByMetadataName("System.Buffers.ArrayPool`1");
        var objectPool = compilation.GetTypeByMetadataName("Microsoft.Extensions.ObjectPool.ObjectPool`1");
        _returning = new[] { arrayPool, objectPool };
        if (!LeasesOnly)
        {
            _arrayPool = arrayPool;
            _objectPool = objectPool;
            _memoryPool = compilation.GetTypeByMetadataName("System.Buffers.MemoryPool`1");
            _memoryOwner = compilation.GetTypeByMetadataName("System.Buffers.IMemoryOwner`1");
        }
    }

    /// <summary>Only the rules about the pools of Poolhouse run: the property PoolhouseAnalyzers is 'leases'.</summary>
    public bool LeasesOnly { get; }

    public bool Any => _arrayPool is not null || _lease is not null;

    public TreeOptions OptionsOf(SyntaxTree tree) =>
        _treeOptions.GetOrAdd(tree, key => TreeOptions.Read(_options.GetOptions(key)));

    /// <summary>Whether the call may rent, return or end something: worth a graph.</summary>
    public bool MayConcern(IInvocationOperation call) =>
        RentedBy(call) is not null || IsReturn(call.TargetMethod) || IsTryRent(call) || IsLease(call.Instance?.Type);

    /// <summary>Whether the value is an item that was just rented: a call that rents, awaited if it has to be.</summary>
    public bool IsRent(IOperation value, out ItemKind kind, out IInvocationOperation call)
    {
        kind = default;
        call = null!;
        value = Operations.WithoutConversions(value);
        var awaited = false;
        if (Operations.AwaitedTask(value) is { } task)
        {
            awaited = true;
            value = task;
        }

        if (value is not IInvocationOperation invocation || RentedBy(invocation) is not { } rented
            || (awaited && rented != ItemKind.PendingRent))
        {
            return false;
        }

        call = invocation;
        kind = awaited ? KindOfLease(Operations.ResultOf(invocation.TargetMethod.ReturnType)) ?? ItemKind.Lease : rented;
        return true;
    }

    /// <summary>The kind of item that a pending rent returns once it has been awaited.</summary>
    public ItemKind? KindOfLease(ITypeSymbol? type) =>
        Is(type, _lease) ? ItemKind.Lease
        : Is(type, _bufferLease) ? ItemKind.BufferLease
        : null;

    public bool IsTryRent(IInvocationOperation call) =>
        string.Equals(call.TargetMethod.Name, "TryRent", StringComparison.Ordinal)
        && call.TargetMethod.Parameters.Any(
            parameter => parameter.RefKind == RefKind.Out && KindOfLease(parameter.Type) is not null);

    /// <summary>The operand whose rent the call ends, if it does: the argument of Return, the receiver of Dispose.</summary>
    public IOperation? EndedBy(IInvocationOperation call, Func<IOperation, ItemKind?> kindOf)
    {
        var method = call.TargetMethod;
        switch (method.Name)
        {
            case "Return" when IsReturn(method):
                return Operations.FirstArgument(call);
            case "Dispose" or "DisposeAsync" or "Close" or "Discard" or "Detach" or "DetachBuffer"
                when call.Instance is { } instance && IsDisposable(kindOf(instance)):
                return instance;
            default:
                return EndedByUser(call, kindOf);
        }
    }

    /// <summary>Whether the method takes an item back, which may be that of a lease.</summary>
    public bool IsReturn(IMethodSymbol method) =>
        string.Equals(method.Name, "Return", StringComparison.Ordinal) && method.Parameters.Length > 0
        && _returning.Any(pool => Derives(method.ContainingType, pool));

    /// <summary>Whether the value is a part of the item: its memory, or what a lease gives access to.</summary>
    public bool IsView(IOperation value, out IOperation source)
    {
        source = null!;
        switch (value)
        {
            case IPropertyReferenceOperation { Instance: { } instance } property when IsViewProperty(property.Property):
                source = instance;
                return true;
            case IInvocationOperation { TargetMethod.Name: "AsSpan" or "AsMemory" or "AsReadOnlySpan" or "AsReadOnlyMemory" } call
                when (call.Instance ?? Operations.FirstArgument(call)) is { } whole:
                source = whole;
                return true;
            case IInvocationOperation { TargetMethod.Name: "Slice", Instance: { } instance }
                when Operations.IsMemory(instance.Type):
                source = instance;
                return true;
            case IInvocationOperation { TargetMethod.Name: "GetSpan" or "GetMemory" or "GetBuffer", Instance: { } instance }
                when Is(instance.Type, _pooledStream):
                source = instance;
                return true;
            case IObjectCreationOperation { Arguments.Length: > 0 } creation when Operations.IsMemory(creation.Type):
                source = creation.Arguments[0].Value;
                return true;
            case IConversionOperation conversion when Operations.IsMemory(conversion.Type):
                source = conversion.Operand;
                return true;
            default:
                return false;
        }
    }

    /// <summary>Whether the method may keep its argument. Only well-known methods of .NET are known not to.</summary>
    public bool Keeps(IMethodSymbol method, IParameterSymbol? parameter)
    {
        if (parameter is not null && parameter.GetAttributes().Any(
            attribute => attribute.AttributeClass?.Name is "TransfersOwnershipAttribute" or "TransfersOwnership"))
        {
            return true;
        }

        if (Operations.IsSpan(parameter?.Type))
        {
            return method.ReturnType.IsRefLikeType;
        }

        var type = method.ContainingType;
        if (type is null || (method.ReturnType.IsReferenceType && !Operations.IsTask(method.ReturnType)
            && method.ReturnType is not ({ SpecialType: SpecialType.System_String } or IArrayTypeSymbol)))
        {
            return true;
        }

        return type.ContainingNamespace.ToDisplayString() switch
        {
            "System" => type.Name is not ("Array" or "Buffer" or "Convert" or "BitConverter" or "Console" or "Random"
                or "MemoryExtensions"
                or "Guid" or "GC"),
            "System.IO" or "System.Text" or "System.Text.Unicode" or "System.Security.Cryptography" or "System.Net.Sockets"
                or "System.Buffers.Binary" or "System.Buffers.Text" or "System.Diagnostics" => false,
            "Poolhouse" => method.Name is not ("Invalidate" or "Equals"),
            _ => true,
        };
    }

    public bool IsLease(ITypeSymbol? type) => KindOfLease(type) is not null;

    public bool IsPooledStream(ITypeSymbol? type) => Is(type, _pooledStream);

    public bool IsBufferWriter(ITypeSymbol? type) => Is(type, _bufferWriter);

    public bool IsArrayPool(ITypeSymbol? type) => Derives(type, _arrayPool);

    public bool IsPool(ITypeSymbol? type) => type is not null && type.AllInterfaces.Any(implemented => Is(implemented, _pool));

    /// <summary>The policy type that a type derives from, with the type of its items.</summary>
    public INamedTypeSymbol? PolicyOf(INamedTypeSymbol? type)
    {
        for (var policy = type?.BaseType; policy is not null; policy = policy.BaseType)
        {
            if (Is(policy, _resourcePolicy) || Is(policy, _nestedPolicy))
            {
                return policy;
            }
        }

        return null;
    }

    public static bool Is(ITypeSymbol? type, INamedTypeSymbol? definition) =>
        definition is not null && SymbolEqualityComparer.Default.Equals(type?.OriginalDefinition, definition);

    public static bool Derives(ITypeSymbol? type, INamedTypeSymbol? definition)
    {
        for (; type is not null && definition is not null; type = type.BaseType)
        {
            if (Is(type, definition))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsDisposable(ItemKind? kind) =>
        kind is ItemKind.Lease or ItemKind.BufferLease or ItemKind.MemoryOwner or ItemKind.Stream;

    // Only calls with the name of a rent method get here; the return type decides.
    private ItemKind? RentedBy(IInvocationOperation call)
    {
        var method = call.TargetMethod;
        var result = method.ReturnType;
        switch (method.Name)
        {
            case "Rent" when Derives(method.ContainingType, _arrayPool):
                return ItemKind.Array;
            case "Rent" when Derives(method.ContainingType, _memoryPool):
                return ItemKind.MemoryOwner;
            case "Get" when method.Parameters.IsEmpty && Derives(method.ContainingType, _objectPool):
                return ItemKind.Object;
            case "Rent" or "GetStream" when Is(result, _pooledStream):
                return ItemKind.Stream;
            case "DetachBuffer" when Is(result, _pooledSequence):
                return ItemKind.Stream;
            case "Rent" or "RentExact" or "DetachBuffer" when IsLease(result):
                return KindOfLease(result);
            case "RentAsync" when (Is(result, _valueTask) || Is(result, _task)) && IsLease(Operations.ResultOf(result)):
                return ItemKind.PendingRent;
            default:
                return RentedByUser(call);
        }
    }

    private ItemKind? RentedByUser(IInvocationOperation call)
    {
        var method = call.TargetMethod;
        var marked = method.GetReturnTypeAttributes().Concat(method.GetAttributes())
            .Any(attribute => attribute.AttributeClass?.Name is "RentedReturnAttribute" or "RentedReturn");
        var options = OptionsOf(call.Syntax.SyntaxTree);
        if (!marked && (options.RentMethods.Count == 0
            || options.EndOf(method.ContainingType.OriginalDefinition.ToDisplayString(), method.Name) is null))
        {
            return null;
        }

        return KindOfLease(method.ReturnType)
            ?? (Is(method.ReturnType, _memoryOwner) ? ItemKind.MemoryOwner
                : Is(method.ReturnType, _pooledStream) ? ItemKind.Stream
                : method.ReturnType is IArrayTypeSymbol ? ItemKind.Array
                : method.ReturnType.IsReferenceType ? ItemKind.Object
                : null);
    }

    private IOperation? EndedByUser(IInvocationOperation call, Func<IOperation, ItemKind?> kindOf)
    {
        var options = OptionsOf(call.Syntax.SyntaxTree);
        if (options.RentMethods.Count == 0)
        {
            return null;
        }

        var type = call.TargetMethod.ContainingType.OriginalDefinition.ToDisplayString();
        var ends = options.RentMethods.Keys.Any(
            rent => string.Equals(options.EndOf(type, rent), call.TargetMethod.Name, StringComparison.Ordinal));
        return ends ? call.Arguments.FirstOrDefault(argument => kindOf(argument.Value) is not null)?.Value : null;
    }

    private bool IsViewProperty(IPropertySymbol property)
    {
        var type = property.ContainingType;
        return property.Name switch
        {
            "Array" => Operations.IsMemory(type),
            "Value" => Is(type, _lease) && property.Type is { IsReferenceType: true, SpecialType: not SpecialType.System_String },
            "Span" or "Memory" or "Segment" => Is(type, _bufferLease) || Is(type, _memoryOwner) || Operations.IsMemory(type)
                || type.AllInterfaces.Any(item => Is(item, _memoryOwner)),
            "WrittenSequence" => Is(type, _pooledStream),
            "Sequence" => Is(type, _pooledSequence),
            _ => false,
        };
    }
}
